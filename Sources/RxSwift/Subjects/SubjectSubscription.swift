// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// One subscription to a subject: a node of the subject's list, and the stage that the chain below cancels.
@usableFromInline
package class SubjectSubscription: Stage {
    // The fields that each delivery reads come first: with the link above, no more than a cache line.

    /// The receiver of events: a `Sink` of the subject's elements. Only the core's drainer uses it, once the core knows the subscription.
    @exclusivity(unchecked) private(set) final var downstream: Unmanaged<AnySink>

    /// The last event, by number, that this subscription was given when it was made. Not changed once it is in the list.
    @exclusivity(unchecked) final var since = Int.min

    // The links of the core's list; only the core's drainer uses them.
    @exclusivity(unchecked) fileprivate(set) final var nextInList: Unmanaged<SubjectSubscription>?
    @exclusivity(unchecked) fileprivate final var previousInList: Unmanaged<SubjectSubscription>?
    @exclusivity(unchecked) fileprivate final var isInList = false

    /// True if the downstream was released; only the core's drainer uses it.
    @exclusivity(unchecked) private(set) final var isReleased = false

    /// True if the core does not know the subscription, because it had ended before. Set before the subscription is linked.
    @exclusivity(unchecked) final var isUnlisted = false

    private final let core: SubjectListCore

    /// The downstream given to the initializer, retained. Released by the core's drainer, or with this object.
    private final var retained: Unmanaged<AnySink>

    /// Makes a subscription, for tests only. The initializer itself is not `package`: that makes this toolchain warn of a recursion in subclasses.
    package static func make(core: SubjectListCore, downstream: AnySink) -> SubjectSubscription {
        SubjectSubscription(core: core, downstream: downstream)
    }

    /// - Parameter downstream: a `Sink` of the core's elements.
    init(core: SubjectListCore, downstream: AnySink) {
        self.core = core
        self.downstream = .passUnretained(downstream)
        self.retained = .passRetained(downstream)
        super.init()
    }

    deinit {
        if !isReleased { retained.release() }
    }

    /// The upstream word of a subscription that its core has counted. There is no stage above.
    private static var counted: UInt { 2 }

    /// Notes that the core has counted the subscription. Returns false if it was cancelled: then no other thread uncounts it.
    final func markCounted() -> Bool { upstream.compareExchange(Stage.unlinked, Self.counted) }

    /// The address of the buffer in front of the downstream, retained; 0 without one.
    ///
    /// Not in `retained`: the subscription may be cancelled, and the core's drainer release the downstream, while the subscribing thread
    /// puts the buffer there.
    private final let buffer = AtomicWord(0)

    /// Puts a buffer, which holds the downstream, in front of it, before the subscription is added to the core.
    final func put(_ buffer: AnySink) {
        let retained = Unmanaged.passRetained(buffer)
        // Publishing: paired with the exchange in `dropBuffer`.
        self.buffer.storePublishing(UInt(bitPattern: retained.toOpaque()))
        downstream = retained
    }

    /// Cuts the circle of the subscription and its buffer. Called by the core's drainer, or for a subscription that is not added.
    final func dropBuffer() {
        if buffer.loadRelaxed() == 0 { return }
        let address = buffer.exchange(0)
        guard let known = UnsafeRawPointer(bitPattern: address) else { return }
        Unmanaged<AnySink>.fromOpaque(known).release()
    }

    /// Sends events past the buffer from now on; only the core's drainer calls this.
    final func bypassBuffer(to sink: AnySink) {
        downstream = .passUnretained(sink)
    }

    /// Releases the downstream. Called only by the core's drainer, or for a subscription that the core does not know.
    final func releaseDownstream() {
        dropBuffer()
        if isReleased { return }
        isReleased = true
        retained.release()
    }

    package final override func quiesce() -> UInt {
        while true {
            let word = upstream.loadRelaxed()
            if word & Stage.quiesced != 0 { return 0 }
            let quiesced = word == Self.counted ? word | Stage.quiesced : Stage.quiescedUnlinked
            if upstream.compareExchange(word, quiesced) { return 0 }
        }
    }

    package final override func cancel() {
        // Acquiring and releasing: paired with the compare-exchange in `markCounted`. So the count is decreased below only after it was increased.
        let word = upstream.exchange(Stage.cancelled)
        if word == Stage.cancelled { return }
        if word & ~Stage.quiesced == Self.counted { core.uncountSubscription() }
        // Where a callback of the core's subscribes over and over, as a `retry()` does, commands would pile up until it returns.
        if isUnlisted { releaseDownstream() } else { core.remove(self) }
        didCancel()
    }

    /// Reacts to the cancellation; called once.
    func didCancel() {}
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

    /// Removes a subscription, if it is in the list; the caller holds it.
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
