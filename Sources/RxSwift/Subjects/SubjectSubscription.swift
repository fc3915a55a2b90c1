/// One subscription to a subject: a node of the subject's list, and the stage that the chain below cancels.
@usableFromInline
package final class SubjectSubscription: Stage {
    private let core: SubjectListCore

    /// A `Sink` of the subject's elements, retained. Released by the one inside the core's loop, or with this object.
    private let sink: Unmanaged<TerminalSink>
    @exclusivity(unchecked) private var isReleased = false

    /// The last event, by number, that this subscription was given when it was made.
    let since: Int

    // The links of the core's list. Only inside the core's loop.
    @exclusivity(unchecked) fileprivate(set) var nextInList: Unmanaged<SubjectSubscription>?
    @exclusivity(unchecked) fileprivate var previousInList: Unmanaged<SubjectSubscription>?
    @exclusivity(unchecked) fileprivate var isInList = false

    /// - Parameter downstream: a `Sink` of the core's elements.
    package init(core: SubjectListCore, downstream: TerminalSink, since: Int = .min) {
        self.core = core
        self.sink = .passRetained(downstream)
        self.since = since
        super.init()
    }

    deinit {
        if !isReleased { sink.release() }
    }

    /// Where events go. Only inside the core's loop.
    @inline(__always)
    var downstream: Unmanaged<TerminalSink> { sink }

    /// Lets go of the downstream. Only inside the core's loop.
    func releaseDownstream() {
        if isReleased { return }
        isReleased = true
        sink.release()
    }

    package override func cancel() {
        if takeUpstream() != nil { core.remove(self) }
    }
}

/// Subscriptions in order of subscription, doubly linked through themselves, so that adding and removing is O(1).
struct SubjectSubscriptionList: ~Copyable {
    private(set) var first: Unmanaged<SubjectSubscription>?
    private var last: Unmanaged<SubjectSubscription>?

    init() {}

    /// Puts a subscription at the end, unless it is in the list.
    mutating func append(_ subscription: SubjectSubscription) {
        if subscription.isInList { return }
        let node = Unmanaged.passRetained(subscription)
        subscription.isInList = true
        subscription.previousInList = last
        if let last {
            last._withUnsafeGuaranteedRef { $0.nextInList = node }
        } else {
            first = node
        }
        last = node
    }

    /// Takes a subscription out, if it is in the list. The caller holds it.
    mutating func remove(_ subscription: SubjectSubscription) {
        guard subscription.isInList else { return }
        subscription.isInList = false
        let next = subscription.nextInList
        let previous = subscription.previousInList
        if let previous {
            previous._withUnsafeGuaranteedRef { $0.nextInList = next }
        } else {
            first = next
        }
        if let next {
            next._withUnsafeGuaranteedRef { $0.previousInList = previous }
        } else {
            last = previous
        }
        subscription.nextInList = nil
        subscription.previousInList = nil
        // The caller's reference outlives this one, so no deinit runs here.
        Unmanaged.passUnretained(subscription).release()
    }

    mutating func popFirst() -> SubjectSubscription? {
        guard let subscription = first?.takeUnretainedValue() else { return nil }
        remove(subscription)
        return subscription
    }

    deinit {
        var rest = first
        while let node = rest {
            rest = node._withUnsafeGuaranteedRef { $0.nextInList }
            node.release()
        }
    }
}
