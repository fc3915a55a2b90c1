// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The core of all subjects: a list of subscriptions, and the serializer of everything done to it.
///
/// The list belongs to the drainer. An emission walks it without a lock or a copy; subscriptions and disposals that arrive
/// meanwhile are enqueued, and the drainer applies them before the next delivery starts.
/// Held by the subject and by its subscriptions; the subject's deinit ends the latter.
/// This part does not depend on the type of the elements, which spares subscriptions all look-ups of type metadata.
@usableFromInline
package class SubjectListCore: SerializerTarget {
    final let serializer = Serializer()

    /// The subscriptions in order of subscription; only the drainer uses them.
    @exclusivity(unchecked) final var list = SubjectSubscriptionList()

    /// True if nodes have arrived that `didArrive` has not looked at; only the drainer uses it.
    @exclusivity(unchecked) private final var isBehind = false
    private static let mostReadAhead = 1_024

    /// True if a terminal event was delivered; only the drainer uses it.
    @exclusivity(unchecked) fileprivate final var isTerminated = false

    /// The progress of the acceptance of a terminal event; it only ever rises.
    private final let termination = AtomicWord(Termination.none)

    /// The error, written once, before `termination` tells that there is one.
    private final var acceptedError: (any Swift.Error)?

    /// The number of subscriptions added and not ended. The thread that adds one counts it, once everything emitted from then on reaches it.
    private final let subscriptionCount = AtomicWord(0)

    /// The sources that all subscribers have paused; only the drainer uses it.
    @exclusivity(unchecked) final var waiting = WaitingSources()

    /// The name of the subject, for diagnostics.
    package final let operatorName: StaticString

    package var elementsWeigh: Bool { false }

    private enum Termination {
        /// The subject is open for events.
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
        operatorName = name
        #if TRACE_RESOURCES
            ResourceCensus.born(Self.self)
        #endif
    }

    #if TRACE_RESOURCES
        deinit {
            ResourceCensus.died(Self.self)
        }
    #endif

    // MARK: Entering

    // These methods enter without a lock. A subclass that enters under a lock does so on all threads.

    /// Becomes the drainer if the serializer is idle.
    func tryEnter() -> Bool { serializer.tryEnter() }

    /// Becomes the drainer if the serializer is idle, else enqueues a node. The caller calls `completeSubmission` of the serializer next.
    func enterOrEnqueue(_ node: UnsafeMutablePointer<DrainNode>) -> DrainLoop.Admission { serializer.enqueue(node) }

    // MARK: Terminal events

    /// The way in which a subject ends.
    @frozen
    @usableFromInline
    package enum Stop {
        case completed
        case error(any Swift.Error)
        /// No event is sent: the subject was disposed of, or no producer can emit any more.
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

    /// True if no event is accepted any more.
    @usableFromInline
    package final var isStopped: Bool { termination.loadRelaxed() != Termination.none }

    /// True if there is a subscription. An event of a producer that read true reaches the subscription, also one of another thread.
    package final var hasObservers: Bool {
        // Acquiring: paired with `count`, so that an event comes after what put the subscription into the loop.
        !isStopped && subscriptionCount.loadAcquiring() != 0
    }

    /// True once the subject has accepted its end.
    // Acquiring: paired with the release in `accept`.
    final var hasAcceptedStop: Bool { termination.loadAcquiring() > Termination.beingAccepted }

    /// Accepts the end of the subject, once.
    ///
    /// - Returns: false if an end was accepted before.
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

    /// Delivers the accepted terminal event after the events accepted before.
    ///
    /// - Parameter entered: whether the caller is the drainer.
    final func deliverStop(entered: Bool) {
        if entered {
            performStop()
            leave()
        } else {
            enqueue(.stop)
        }
    }

    /// Accepts and delivers the end of the subject, unless it has ended.
    @usableFromInline
    package func end(_ stop: Stop) {
        if accept(stop) { deliverStop(entered: tryEnter()) }
    }

    // MARK: Subscriptions

    /// Adds a subscription, which receives the events delivered from now on.
    package final func add(_ subscription: SubjectSubscription) {
        if tryEnter() {
            count(subscription)
            perform(.add, subscription)
            leave()
        } else {
            addContended(subscription)
        }
    }

    @inline(never)
    private final func addContended(_ subscription: SubjectSubscription) {
        let node = SubjectNode.make(.add, subscription)
        let admission = enterOrEnqueue(node)
        count(subscription)
        serializer.completeSubmission(node, admission, for: AnySerializerTarget(self))
    }

    package final func remove(_ subscription: SubjectSubscription) {
        if tryEnter() {
            perform(.remove, subscription)
            leave()
        } else {
            enqueue(.remove, subscription)
        }
    }

    /// Counts a subscription that is being added, unless it was cancelled.
    ///
    /// Called by the thread that adds it, when that is the drainer, or has enqueued the command: from here on a producer that finds the
    /// subject observed emits after it. A subscription that another thread cancels meanwhile may be counted for a moment.
    final func count(_ subscription: SubjectSubscription) {
        if subscription.isCancelled { return }
        // Releasing: paired with the acquire in `hasObservers`.
        _ = subscriptionCount.fetchAdd(1)
        if !subscription.markCounted() { uncountSubscription() }
    }

    /// Uncounts a counted subscription that has ended.
    final func uncountSubscription() {
        _ = subscriptionCount.fetchAdd(0 &- 1)
    }

    // MARK: Work of the drainer

    /// Work that does not depend on the type of the elements.
    enum Command { case add, remove, stop }

    /// Enqueues a command other than `.add`, which counts.
    private final func enqueue(_ command: Command, _ subscription: SubjectSubscription? = nil) {
        let node = SubjectNode.make(command, subscription)
        serializer.completeSubmission(node, enterOrEnqueue(node), for: AnySerializerTarget(self))
    }

    /// Carries out a command; only the drainer calls this.
    final func perform(_ command: Command, _ subscription: SubjectSubscription?) {
        switch (command, subscription) {
        case (.add, let subscription?):
            if isTerminated {
                deliverStop(to: subscription)
            } else if !subscription.isCancelled {
                append(subscription)
            } else {
                subscription.releaseDownstream()
            }
        case (.remove, let subscription?):
            remove(listed: subscription)
            subscription.releaseDownstream()
        default: performStop()
        }
    }

    /// Ends all subscriptions; only the drainer calls this.
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
            case .abandoned, nil: subscription.downstream._withUnsafeGuaranteedRef { $0.upstreamReleased() }
            }
        }
        subscription.releaseDownstream()
    }

    // MARK: SerializerTarget

    package func run(_ node: UnsafeMutablePointer<DrainNode>) { abstractMethod() }

    package func discard(_ node: UnsafeMutablePointer<DrainNode>) { abstractMethod() }

    package final func downstreamPauses(_ source: any PausableSource) -> Bool { allSubscribersPause(source) }

    package final var readsAhead: Bool { !isBehind }

    /// Late subscribers join at once: they see every event whose delivery has not started.
    ///
    /// But of the subscriptions that other threads make and dispose of during one callback, only so many are looked at: the rest would keep this
    /// thread, which has a budget for what it runs (law L12). They join in their turn, and later ones behind them.
    package final func didArrive(_ nodes: UnsafeMutablePointer<DrainNode>) {
        if isTerminated { return }
        isBehind = false
        let thread = CurrentThread.identity
        var foreign = 0
        var next: UnsafeMutablePointer<DrainNode>? = nodes
        while let node = next {
            if node.pointee.producer != thread {
                foreign += 1
                if foreign > SubjectListCore.mostReadAhead {
                    isBehind = true
                    return
                }
            }
            switch SubjectNode.command(of: node) {
            case (.add, let subscription?)?: if !subscription.isCancelled { append(subscription) }
            // Its downstream is released when the drainer comes to it.
            case (.remove, let subscription?)?: remove(listed: subscription)
            default: break
            }
            next = node.pointee.next
        }
    }

    /// Ends the work of the drainer.
    @inline(__always)
    final func leave() {
        if !serializer.tryLeave() { finishLeaving() }
    }

    @inline(never)
    private final func finishLeaving() { serializer.finishLeaving(AnySerializerTarget(self)) }

    package final func drainAsDeputy() { serializer.drainAsDeputy(AnySerializerTarget(self)) }
}

/// The part of a subject that delivers elements.
@usableFromInline
package class SubjectCore<Element>: SubjectListCore {
    @usableFromInline
    package override init(name: StaticString) {
        super.init(name: name)
    }

    deinit {
        if serializer.hasPending { serializer.discardPending(AnySerializerTarget(self)) }
    }

    package final override var elementsWeigh: Bool { isWeighted(Element.self) }

    // MARK: Events

    /// Accepts an element in the way of the subject's kind.
    ///
    /// Subjects that keep nothing call `next` directly.
    package func accept(_ element: Element) { next(element) }

    /// Delivers an element to all subscriptions, now or after the deliveries under way, unless the subject has ended. Not for subjects
    /// that remember elements.
    @usableFromInline
    package final func next(_ element: Element) {
        if isStopped { return }
        if serializer.tryEnter() {
            deliver(element, sequence: .max)
            leave()
        } else {
            enqueue(element)
        }
    }

    @inline(never)
    final func enqueue(_ element: Element) {
        let node = SubjectElementNode.make(element, sequence: .max)
        serializer.completeSubmission(node, enterOrEnqueue(node), for: AnySerializerTarget(self))
    }

    // MARK: Subscribing

    /// Links `downstream` to its subscription and adds that; or gives it its events of a subject that has ended.
    ///
    /// - Parameter subject: named by the error, if it was disposed of.
    package func admit(_ subscription: SubjectSubscription, _ downstream: Sink<Element>, subject: AnyObject) {
        subscription.isUnlisted = hasAcceptedStop
        downstream.link(subscription)
        switch stop {
        case nil: add(subscription)
        case .completed: downstream.completed()
        case .error(let error): downstream.error(error)
        case .abandoned: downstream.error(RxError.disposed(object: subject))
        }
    }

    // MARK: Work of the drainer

    /// Delivers an element to all subscriptions that do not know it yet; only the drainer calls this.
    ///
    /// - Parameter sequence: its number in order of acceptance, where subjects replay; a subscription skips the elements it was given
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

    // MARK: SerializerTarget

    package final override func run(_ node: UnsafeMutablePointer<DrainNode>) {
        if let command = SubjectNode.takeCommand(node) {
            perform(command.0, command.1)
        } else {
            runElement(node)
        }
    }

    /// Delivers the element of a node. A method of its own, so that `run` needs no room on the stack for an element.
    @inline(never)
    private final func runElement(_ node: UnsafeMutablePointer<DrainNode>) {
        let (element, sequence) = SubjectElementNode.take(node, Element.self)
        deliver(element, sequence: sequence)
    }

    package final override func discard(_ node: UnsafeMutablePointer<DrainNode>) {
        if let command = SubjectNode.takeCommand(node) {
            command.subscription?.releaseDownstream()
        } else {
            _ = SubjectElementNode.take(node, Element.self)
        }
    }
}
