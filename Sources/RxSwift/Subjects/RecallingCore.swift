import RxPrimitives

/// The core of a subject that remembers elements for later subscribers.
///
/// State changes at acceptance, not at delivery: under a lock an element is remembered and gets its number and its place in
/// the loop, so that what is remembered, the numbers and the order of delivery agree. A newcomer is given what is remembered
/// at that moment, on its own thread, and skips the deliveries up to that number.
/// The lock is held for a few instructions; nothing of the user's runs or is released under it.
@usableFromInline
package class RecallingCore<Element>: SubjectCore<Element> {
    final let lock = Mutex()

    /// The number of elements accepted. Under the lock.
    private final var acceptedCount = 0

    /// Whether the subject was disposed of. Under the lock.
    private(set) final var isForgotten = false

    /// When subscribers are given what is remembered.
    private let recall: Recall

    package enum Recall {
        /// While the subject is open.
        case beforeEnd
        case always
        /// Once the subject has completed; until then elements are not delivered either.
        case afterCompletion
    }

    package init(name: StaticString, recall: Recall) {
        self.recall = recall
        super.init(name: name)
    }

    // MARK: What is remembered

    /// Remembers an element, and releases the lock before it lets go of what it forgets. Called with the lock held.
    func keepAndUnlock(_ element: Element) { abstractMethod() }

    /// How many elements are remembered. Under the lock.
    var keptCount: Int { abstractMethod() }

    /// Puts what is remembered into `recollection`. Under the lock.
    func recall(into recollection: inout Recollection<Element>) { abstractMethod() }

    /// Forgets everything. Called with the lock held; releases it.
    func clearAndUnlock() { abstractMethod() }

    // MARK: Events

    /// Remembers an element and delivers it to all subscriptions, now or after the deliveries under way, unless the subject
    /// has ended.
    @usableFromInline
    package final override func accept(_ element: Element) {
        lock.lock()
        if !isStopped, loop.tryEnter() {
            acceptedCount &+= 1
            let number = acceptedCount
            keepAndUnlock(element)
            deliver(element, sequence: number)
            if !loop.tryLeave() { drain() }
        } else {
            lock.unlock()
            acceptContended(element)
        }
    }

    @inline(never)
    private final func acceptContended(_ element: Element) {
        if isStopped { return }
        // Made first: no allocation under the lock.
        let node = SubjectElementNode.make(element, sequence: 0)
        lock.lock()
        if isStopped {
            lock.unlock()
            return SubjectElementNode<Element>.free(node)
        }
        acceptedCount &+= 1
        SubjectElementNode<Element>.number(node, acceptedCount)
        let admission = loop.enterOrPush(node)
        keepAndUnlock(element)
        settle(node, admission)
    }

    /// Remembers an element without delivering it, unless the subject has ended.
    @usableFromInline
    final func keep(_ element: Element) {
        lock.lock()
        if isStopped {
            lock.unlock()
        } else {
            keepAndUnlock(element)
        }
    }

    @usableFromInline
    package final override func end(_ stop: Stop) {
        if acceptAndRecall(stop) { deliverStop() }
    }

    /// Accepts what the subject ends with, and delivers what was kept back for it.
    ///
    /// Apart from `end`, which so needs no stack of its own for what comes of the terminal event (law L8).
    /// - Returns: false when something was accepted before.
    @inline(never)
    private final func acceptAndRecall(_ stop: Stop) -> Bool {
        var late = Recollection<Element>()
        lock.lock()
        let isFirst = accept(stop)
        if isFirst, recall == .afterCompletion, case .completed = stop { recall(into: &late) }
        lock.unlock()
        // Outside the lock, for nothing is accepted after it and what was accepted before is in the loop already.
        late.visit { element in
            leaveBehind(element)
            return true
        }
        return isFirst
    }

    /// Ends the subject without an event and forgets everything.
    package final func forget() {
        lock.lock()
        isForgotten = true
        let isFirst = accept(.abandoned)
        clearAndUnlock()
        if isFirst { deliverStop() }
    }

    // MARK: Subscribing

    package final override func admit(
        _ subscription: SubjectSubscription, _ downstream: Sink<Element>, subject: AnyObject
    ) {
        downstream.link(subscription)
        var recollection = Recollection<Element>()
        reserve(&recollection)
        lock.lock()
        if isStopped {
            admitLate(subscription, downstream, &recollection, subject)
        } else if loop.tryEnter() {
            // Nobody is delivering: being inside the loop keeps everybody's events back until the replay is over.
            subscription.since = acceptedCount
            if recall != .afterCompletion { recall(into: &recollection) }
            lock.unlock()
            count(subscription)
            perform(.add, subscription)
            recollection.replay(to: downstream, while: subscription)
            if !loop.tryLeave() { drain() }
        } else {
            lock.unlock()
            admitDuringDelivery(subscription, downstream, &recollection, subject)
        }
    }

    /// Somebody is delivering, perhaps a callback further up this thread's stack, so the loop can't be entered. A gate of the
    /// subscription's own keeps its events back instead.
    private final func admitDuringDelivery(
        _ subscription: SubjectSubscription, _ downstream: Sink<Element>,
        _ recollection: inout Recollection<Element>, _ subject: AnyObject
    ) {
        let gate = NewcomerGate(subscription: subscription, downstream: downstream)
        subscription.put(gate)
        let node = SubjectNode.make(.add, subscription)
        lock.lock()
        if isStopped {
            admitLate(subscription, downstream, &recollection, subject)
            _ = SubjectNode.takeChore(node)
            return
        }
        subscription.since = acceptedCount
        if recall != .afterCompletion { recall(into: &recollection) }
        let admission = loop.enterOrPush(node)
        lock.unlock()
        count(subscription)
        if case .entered = admission {
            _ = SubjectNode.takeChore(node)
            perform(.add, subscription)
        }
        recollection.replay(to: downstream, while: subscription)
        gate.open()
        if case .entered = admission, !loop.tryLeave() { drain() }
    }

    /// Gives a newcomer what a subject that has ended owes it. Called with the lock held; releases it.
    private final func admitLate(
        _ subscription: SubjectSubscription, _ downstream: Sink<Element>,
        _ recollection: inout Recollection<Element>, _ subject: AnyObject
    ) {
        let isForgotten = self.isForgotten
        let stop = self.stop
        switch (recall, stop) {
        case (_, .abandoned), (.beforeEnd, _): break
        case (.afterCompletion, .error): break
        default: recall(into: &recollection)
        }
        lock.unlock()
        if isForgotten { return downstream.error(RxError.disposed(object: subject)) }
        recollection.replay(to: downstream, while: subscription)
        if subscription.isCancelled { return }
        switch stop {
        case .completed: downstream.completed()
        case .error(let error): downstream.error(error)
        case .abandoned, nil: break
        }
    }

    /// Makes room for what will probably be remembered in a moment, so that there is no allocation under the lock.
    private final func reserve(_ recollection: inout Recollection<Element>) {
        lock.lock()
        let count = keptCount
        lock.unlock()
        recollection.reserve(count)
    }
}
