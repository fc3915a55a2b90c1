import RxPrimitives

/// What all subjects are made of: a list of subscriptions, and the drain loop that serializes everything done to it.
///
/// The list belongs to whoever is inside the loop. An emission walks it without a lock or a copy; subscriptions and disposals
/// that arrive meanwhile are left to the one inside, who applies them before the next delivery starts.
/// Held by the subject and by its subscriptions; the subject's deinit ends the latter.
/// This part does not depend on the type of the elements, which spares subscriptions all look-ups of type metadata.
@usableFromInline
package class SubjectListCore {
    final let loop = DrainLoop()

    /// The subscriptions in order of subscription. Only inside the loop.
    @exclusivity(unchecked) final var list = SubjectSubscriptionList()

    /// Whether a terminal event was delivered. Only inside the loop.
    @exclusivity(unchecked) fileprivate final var isTerminated = false

    /// How far the acceptance of a terminal event has come. Only ever rises.
    private final let termination = AtomicWord(Termination.none)

    /// Written once, before `termination` says that there is one.
    private final var acceptedError: (any Swift.Error)?

    /// Subscriptions added and not ended. Each is counted by who adds it, once everything that is emitted from then on reaches it.
    private final let subscriptionCount = AtomicWord(0)

    /// The subject's name, for diagnostics.
    final let name: StaticString

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
    package init(name: StaticString) {
        self.name = name
        #if TRACE_RESOURCES
            ResourceCensus.born(Self.self)
        #endif
    }

    #if TRACE_RESOURCES
        deinit {
            ResourceCensus.died(Self.self)
        }
    #endif

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

    /// Whether somebody is subscribed. What is emitted by who saw that reaches the subscription, also one of another thread.
    package final var hasObservers: Bool {
        // Acquiring: paired with `count`, so that an event comes behind what put the subscription into the loop.
        !isStopped && subscriptionCount.loadAcquiring() != 0
    }

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
        if loop.tryEnter() {
            performStop()
            if !loop.tryLeave() { drain() }
        } else {
            submit(.stop)
        }
    }

    /// Accepts and delivers what the subject ends with, unless it has ended.
    @usableFromInline
    package func end(_ stop: Stop) {
        if accept(stop) { deliverStop() }
    }

    // MARK: Subscriptions

    /// Adds a subscription, which sees what is delivered from now on.
    package final func add(_ subscription: SubjectSubscription) {
        if loop.tryEnter() { return addInside(subscription) }
        let node = SubjectNode.make(.add, subscription)
        switch loop.enterOrPush(node) {
        case .entered:
            _ = SubjectNode.takeChore(node)
            addInside(subscription)
        case .pending, .closed:
            count(subscription)
        }
    }

    private final func addInside(_ subscription: SubjectSubscription) {
        count(subscription)
        perform(.add, subscription)
        if !loop.tryLeave() { drain() }
    }

    package final func remove(_ subscription: SubjectSubscription) {
        submit(.remove, subscription)
    }

    /// Counts a subscription that is being added, unless it was cancelled.
    ///
    /// By the thread that adds it, when that is inside the loop, or has left the chore to the one inside: from here on whoever
    /// finds the subject observed emits behind it. One that another thread cancels meanwhile may be counted for a moment.
    final func count(_ subscription: SubjectSubscription) {
        if subscription.isCancelled { return }
        // Releasing: paired with the acquire in `hasObservers`.
        _ = subscriptionCount.fetchAdd(1)
        if !subscription.markCounted() { uncountSubscription() }
    }

    /// A subscription that was counted has ended.
    final func uncountSubscription() {
        _ = subscriptionCount.fetchAdd(0 &- 1)
    }

    // MARK: Work inside the loop

    /// Work that does not depend on the type of the elements.
    enum Chore { case add, remove, stop }

    /// Not for `.add`, which counts.
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
    final func perform(_ chore: Chore, _ subscription: SubjectSubscription?) {
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
        default: performStop()
        }
    }

    /// Ends all subscriptions. Only inside the loop.
    ///
    /// Inlined where terminal events pass, which nest as deep as chains are long (law L8).
    @inline(__always)
    private final func performStop() {
        isTerminated = true
        while let subscription = list.popFirst() { deliverStop(to: subscription) }
    }

    private final func deliverStop(to subscription: SubjectSubscription) {
        // Released: it had the terminal event already, having joined before its turn.
        if !subscription.isCancelled, !subscription.isReleased {
            switch stop {
            case .completed: subscription.downstream._withUnsafeGuaranteedRef { $0.completed() }
            case .error(let error): subscription.downstream._withUnsafeGuaranteedRef { $0.error(error) }
            case .abandoned, nil: subscription.downstream._withUnsafeGuaranteedRef { $0.sourceVanished() }
            }
        }
        subscription.releaseDownstream()
    }

    /// Does what was left to the one inside, until there is nothing more and the loop is free.
    func drain() { abstractMethod() }

    /// Takes what is pending and puts it behind `queue`. Newcomers join at once: they see every event whose delivery has not
    /// started. Only inside the loop, between two deliveries.
    fileprivate final func takePending(into queue: inout PendingQueue) {
        guard let oldest = loop.takePending() else { return }
        var newest = oldest
        while true {
            if !isTerminated {
                switch SubjectNode.chore(of: newest) {
                case (.add, let subscription?)?: if !subscription.isCancelled { list.append(subscription) }
                // Its downstream is released in its turn.
                case (.remove, let subscription?)?: list.remove(subscription)
                default: break
                }
            }
            guard let next = newest.pointee.next else { break }
            newest = next
        }
        queue.append(oldest, through: newest)
    }

    /// Work taken from the loop and not done yet, oldest first.
    fileprivate struct PendingQueue {
        private var first: UnsafeMutablePointer<DrainNode>?
        private var last: UnsafeMutablePointer<DrainNode>?

        mutating func append(
            _ oldest: UnsafeMutablePointer<DrainNode>, through newest: UnsafeMutablePointer<DrainNode>
        ) {
            if let last, first != nil {
                last.pointee.next = oldest
            } else {
                first = oldest
            }
            last = newest
        }

        mutating func popFirst() -> UnsafeMutablePointer<DrainNode>? {
            guard let node = first else { return nil }
            first = node.pointee.next
            return node
        }
    }
}

/// The part of a subject that delivers elements.
@usableFromInline
package class SubjectCore<Element>: SubjectListCore {
    @usableFromInline
    package override init(name: StaticString) {
        super.init(name: name)
    }

    deinit {
        if loop.hasPending { dropPending() }
    }

    // MARK: Events

    /// Accepts an element.
    ///
    /// What subjects of each kind do with it; those that keep nothing call `next` directly.
    package func accept(_ element: Element) { next(element) }

    /// Delivers an element to all subscriptions, now or after the deliveries under way, unless the subject has ended.
    @usableFromInline
    package final func next(_ element: Element) {
        if isStopped { return }
        if loop.tryEnter() {
            deliver(element, sequence: .max)
            if !loop.tryLeave() { drain() }
        } else {
            leaveBehind(element)
        }
    }

    @inline(never)
    final func leaveBehind(_ element: Element) {
        let node = SubjectElementNode.make(element, sequence: .max)
        settle(node, loop.enterOrPush(node))
    }

    /// Does what is left to do for an element that was offered to the loop.
    final func settle(_ node: UnsafeMutablePointer<DrainNode>, _ admission: DrainLoop.Admission) {
        switch admission {
        case .entered:
            let (element, sequence) = SubjectElementNode<Element>.take(node)
            deliver(element, sequence: sequence)
            if !loop.tryLeave() { drain() }
        case .pending(let count):
            Backlog.noticed(count, at: name)
        case .closed:
            SubjectElementNode<Element>.free(node)
        }
    }

    // MARK: Subscribing

    /// Links `downstream` to its subscription and lets it take part; or gives it what a subject that has ended owes it.
    ///
    /// - Parameter subject: named by the error, if it was disposed of.
    package func admit(_ subscription: SubjectSubscription, _ downstream: Sink<Element>, subject: AnyObject) {
        downstream.link(subscription)
        switch stop {
        case nil: add(subscription)
        case .completed: downstream.completed()
        case .error(let error): downstream.error(error)
        case .abandoned: downstream.error(RxError.disposed(object: subject))
        }
    }

    // MARK: Work inside the loop

    /// Delivers an element to all subscriptions that do not know it yet. Only inside the loop.
    ///
    /// - Parameter sequence: its number in order of acceptance, where subjects replay; a subscription skips what it was given
    ///   when it was made.
    final func deliver(_ element: Element, sequence: Int) {
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
    final override func drain() {
        var pending = PendingQueue()
        repeat {
            takePending(into: &pending)
            while let node = pending.popFirst() {
                if loop.hasPending { takePending(into: &pending) }
                if let chore = SubjectNode.takeChore(node) {
                    perform(chore.0, chore.1)
                } else {
                    let (element, sequence) = SubjectElementNode<Element>.take(node)
                    deliver(element, sequence: sequence)
                }
            }
        } while !loop.tryLeave()
    }

    private final func dropPending() {
        var pending = loop.takePending()
        while let node = pending {
            pending = node.pointee.next
            if SubjectNode.takeChore(node) == nil { SubjectElementNode<Element>.free(node) }
        }
    }
}
