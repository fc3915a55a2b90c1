import RxPrimitives

/// What all subjects are made of: a list of subscriptions, and the drain loop that serializes everything done to it.
///
/// The list belongs to whoever is inside the loop. An emission walks it without a lock or a copy; subscriptions and disposals
/// that arrive meanwhile are left to the one inside, who applies them before the next delivery starts.
/// Held by the subject and by its subscriptions; the subject's deinit ends the latter.
/// This part does not depend on the type of the elements, which spares subscriptions all look-ups of type metadata.
@usableFromInline
package class SubjectListCore {
    fileprivate let loop = DrainLoop()

    /// The subscriptions in order of subscription. Only inside the loop.
    @exclusivity(unchecked) fileprivate var list = SubjectSubscriptionList()

    /// Whether a terminal event was delivered. Only inside the loop.
    @exclusivity(unchecked) fileprivate var isTerminated = false

    /// How far the acceptance of a terminal event has come. Only ever rises.
    private let termination = AtomicWord(Termination.none)

    /// Written once, before `termination` says that there is one.
    private var acceptedError: (any Swift.Error)?

    /// Subscriptions made and not disposed of.
    private let subscriptionCount = AtomicWord(0)

    /// The subject's name, for diagnostics.
    fileprivate let name: StaticString

    private enum Termination {
        /// The subject is open.
        static let none: UInt = 0
        /// A terminal event is being accepted.
        static let beingAccepted: UInt = 1
        static let completed: UInt = 2
        static let error: UInt = 3
        /// The subject was disposed of or is gone.
        static let abandoned: UInt = 4
    }

    @usableFromInline
    package init(name: StaticString) { self.name = name }

    // MARK: Terminal events

    /// What a subject ends with.
    @frozen
    @usableFromInline
    package enum Stop {
        case completed
        case error(any Swift.Error)
        /// Nothing is sent: the subject was disposed of, or nobody can emit any more.
        case abandoned
    }

    /// The terminal event that was accepted, delivered or not.
    package final var stop: Stop? {
        // Acquiring: paired with the release in `accept`.
        switch termination.loadAcquiring() {
        case Termination.completed: return .completed
        case Termination.error: return .error(acceptedError!)
        case Termination.abandoned: return .abandoned
        default: return nil
        }
    }

    /// Whether no event is accepted any more.
    @usableFromInline
    package final var isStopped: Bool { termination.loadRelaxed() != Termination.none }

    package final var hasObservers: Bool { !isStopped && subscriptionCount.loadRelaxed() != 0 }

    /// Accepts what the subject ends with, once.
    ///
    /// - Returns: false when something was accepted before.
    package final func accept(_ stop: Stop) -> Bool {
        guard termination.compareExchange(Termination.none, Termination.beingAccepted) else { return false }
        switch stop {
        case .completed:
            termination.storeReleasing(Termination.completed)
        case .error(let error):
            acceptedError = error
            termination.storeReleasing(Termination.error)
        case .abandoned:
            termination.storeReleasing(Termination.abandoned)
        }
        return true
    }

    /// Delivers the accepted terminal event behind the events accepted before.
    package final func deliverStop() {
        submit(.stop)
    }

    /// Accepts and delivers what the subject ends with, unless it has ended.
    @usableFromInline
    package final func end(_ stop: Stop) {
        if accept(stop) { deliverStop() }
    }

    // MARK: Subscriptions

    /// Adds a subscription, which sees what is delivered from now on.
    package final func add(_ subscription: SubjectSubscription) {
        _ = subscriptionCount.fetchAdd(1)
        submit(.add, subscription)
    }

    package final func remove(_ subscription: SubjectSubscription) {
        _ = subscriptionCount.fetchAdd(0 &- 1)
        submit(.remove, subscription)
    }

    // MARK: Work inside the loop

    /// Work that does not depend on the type of the elements.
    enum Chore { case add, remove, stop }

    private final func submit(_ chore: Chore, _ subscription: SubjectSubscription? = nil) {
        if loop.tryEnter() {
            perform(chore, subscription)
            if !loop.tryLeave() { drain() }
            return
        }
        let node = SubjectNode.make(chore, subscription)
        switch loop.enterOrPush(node) {
        case .entered:
            _ = SubjectNode.takeChore(node)
            perform(chore, subscription)
            if !loop.tryLeave() { drain() }
        case .pending, .closed:
            break
        }
    }

    /// Does a chore. Only inside the loop.
    fileprivate final func perform(_ chore: Chore, _ subscription: SubjectSubscription?) {
        switch (chore, subscription) {
        case (.add, let subscription?):
            if isTerminated {
                deliverStop(to: subscription)
            } else if !subscription.isCancelled {
                list.append(subscription)
            } else {
                subscription.releaseDownstream()
            }
        case (.remove, let subscription?):
            list.remove(subscription)
            subscription.releaseDownstream()
        default:
            isTerminated = true
            while let subscription = list.popFirst() { deliverStop(to: subscription) }
        }
    }

    private final func deliverStop(to subscription: SubjectSubscription) {
        if !subscription.isCancelled {
            switch stop {
            case .completed: subscription.downstream._withUnsafeGuaranteedRef { $0.completed() }
            case .error(let error): subscription.downstream._withUnsafeGuaranteedRef { $0.error(error) }
            case .abandoned, nil: break
            }
        }
        subscription.releaseDownstream()
    }

    /// Does what was left to the one inside, until there is nothing more and the loop is free.
    fileprivate func drain() { abstractMethod() }

    /// Takes what is pending. Newcomers join at once: they see every event whose delivery has not started.
    fileprivate final func takePending() -> UnsafeMutablePointer<DrainNode>? {
        let oldest = loop.takePending()
        if isTerminated { return oldest }
        var pending = oldest
        while let node = pending {
            switch SubjectNode.chore(of: node) {
            case (.add, let subscription?)?: if !subscription.isCancelled { list.append(subscription) }
            // Its downstream is released in its turn.
            case (.remove, let subscription?)?: list.remove(subscription)
            default: break
            }
            pending = node.pointee.next
        }
        return oldest
    }
}

/// The part of a subject that delivers elements.
@usableFromInline
package final class SubjectCore<Element>: SubjectListCore {
    @usableFromInline
    package override init(name: StaticString) {
        super.init(name: name)
    }

    deinit {
        if loop.hasPending { dropPending() }
    }

    /// Delivers an element to all subscriptions that do not know it yet, now or after the deliveries under way.
    ///
    /// - Parameter sequence: the number of the event in order of acceptance, for subjects that replay; a subscription skips
    ///   what it was given when it was made.
    @usableFromInline
    package func next(_ element: Element, sequence: Int = .max) {
        if isStopped { return }
        if loop.tryEnter() {
            deliver(element, sequence: sequence)
            if !loop.tryLeave() { drain() }
        } else {
            leaveBehind(element, sequence: sequence)
        }
    }

    @inline(never)
    private func leaveBehind(_ element: Element, sequence: Int) {
        let node = SubjectElementNode.make(element, sequence: sequence)
        switch loop.enterOrPush(node) {
        case .entered:
            _ = SubjectElementNode<Element>.take(node)
            deliver(element, sequence: sequence)
            if !loop.tryLeave() { drain() }
        case .pending(let count):
            Backlog.noticed(count, at: name)
        case .closed:
            _ = SubjectElementNode<Element>.take(node)
        }
    }

    /// Only inside the loop.
    private func deliver(_ element: Element, sequence: Int) {
        // A plain walk: the list only changes between deliveries.
        if isTerminated { return }
        var node = list.first
        while let subscription = node {
            node = subscription._withUnsafeGuaranteedRef { subscription in
                if !subscription.isCancelled, subscription.since < sequence {
                    subscription.downstream._withUnsafeGuaranteedRef {
                        unsafeDowncast($0, to: Sink<Element>.self).next(element)
                    }
                }
                return subscription.nextInList
            }
        }
    }

    @inline(never)
    fileprivate override func drain() {
        repeat {
            var pending = takePending()
            while let node = pending {
                pending = node.pointee.next
                if loop.hasPending { pending = append(takePending(), to: pending) }
                if let chore = SubjectNode.takeChore(node) {
                    perform(chore.0, chore.1)
                } else {
                    let (element, sequence) = SubjectElementNode<Element>.take(node)
                    deliver(element, sequence: sequence)
                }
            }
        } while !loop.tryLeave()
    }

    private func append(
        _ later: UnsafeMutablePointer<DrainNode>?, to first: UnsafeMutablePointer<DrainNode>?
    ) -> UnsafeMutablePointer<DrainNode>? {
        guard var last = first else { return later }
        while let next = last.pointee.next { last = next }
        last.pointee.next = later
        return first
    }

    private func dropPending() {
        var pending = loop.takePending()
        while let node = pending {
            pending = node.pointee.next
            if SubjectNode.takeChore(node) == nil { _ = SubjectElementNode<Element>.take(node) }
        }
    }
}
