// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The core of a subject that remembers elements for later subscribers.
///
/// State changes at acceptance, not at delivery: under a lock an element is remembered and gets its number and its place in
/// the loop, so that the remembered elements, the numbers and the order of delivery agree. A new subscriber is given the elements
/// remembered at that moment, on its own thread, and skips the deliveries up to that number.
/// The lock is held for a few instructions; no user code runs, and nothing of the user's is released, under it. All threads hold it while
/// they enter the serializer or enqueue, so that entering costs no read-modify-write; they leave without it.
@usableFromInline
package class ReplayCore<Element>: SubjectCore<Element> {
    final let lock = Mutex()

    /// The number of elements accepted; protected by the lock.
    private final var acceptedCount = 0

    /// True if the subject was disposed of; protected by the lock.
    private(set) final var isForgotten = false

    /// The condition under which subscribers are given the remembered elements.
    private let policy: ReplayPolicy

    package enum ReplayPolicy {
        /// Only while the subject is open.
        case beforeEnd
        case always
        /// Once the subject has completed; until then elements are not delivered either.
        case afterCompletion
    }

    package init(name: StaticString, policy: ReplayPolicy) {
        self.policy = policy
        super.init(name: name)
    }

    // MARK: What is remembered

    /// Remembers an element, and unlocks before it releases the element it forgets. Called with the lock held.
    func keepAndUnlock(_ element: Element) { abstractMethod() }

    /// The number of remembered elements, read under the lock.
    var keptCount: Int { abstractMethod() }

    /// Puts the remembered elements into `snapshot`, under the lock.
    func takeSnapshot(into snapshot: inout ReplaySnapshot) { abstractMethod() }

    /// Calls `body` with the elements of a snapshot, oldest first, as long as it returns true.
    func visit(_ snapshot: borrowing ReplaySnapshot, _ body: (Element) -> Bool) {
        if snapshot.count == 0 { return }
        let copies = snapshot.copies(of: Element.self)
        for index in 0..<snapshot.count where !withBorrowed(copies + index, to: body) { return }
    }

    /// Sends the elements of a snapshot, oldest first, until the subscription is cancelled.
    private final func replay(
        _ snapshot: borrowing ReplaySnapshot, to downstream: Sink<Element>, while subscription: SubjectSubscription
    ) {
        visit(snapshot) { element in
            if subscription.isCancelled { return false }
            downstream.next(element)
            return true
        }
    }

    /// Forgets all elements; called with the lock held, which it releases.
    func clearAndUnlock() { abstractMethod() }

    // MARK: Entering

    final override func tryEnter() -> Bool { lock.withLock { serializer.tryEnterLocked() } }

    final override func enterOrEnqueue(_ node: UnsafeMutablePointer<DrainNode>) -> DrainLoop.Admission {
        lock.withLock { serializer.enqueue(node) }
    }

    // MARK: Events

    /// Remembers an element and delivers it to all subscriptions, now or after the deliveries under way, unless the subject
    /// has ended.
    @usableFromInline
    package final override func accept(_ element: Element) {
        lock.lock()
        if !isStopped, serializer.tryEnterLocked() {
            acceptedCount &+= 1
            let number = acceptedCount
            keepAndUnlock(element)
            deliver(element, sequence: number)
            leave()
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
            _ = SubjectElementNode.take(node, Element.self)
            return
        }
        acceptedCount &+= 1
        SubjectElementNode.number(node, acceptedCount)
        let admission = serializer.enqueue(node)
        keepAndUnlock(element)
        serializer.completeSubmission(node, admission, for: AnySerializerTarget(self))
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
        if let entered = acceptAndSnapshot(stop) { deliverStop(entered: entered) }
    }

    /// Accepts the end of the subject, and delivers the elements held back for it.
    ///
    /// A method of its own, so that `end` needs no stack for the consequences of the terminal event (law L8).
    /// - Returns: whether the caller is the drainer now; nil if an end was accepted before.
    @inline(never)
    private final func acceptAndSnapshot(_ stop: Stop) -> Bool? {
        var late = ReplaySnapshot()
        defer { late.releaseCopies(of: Element.self) }
        lock.lock()
        guard accept(stop) else {
            lock.unlock()
            return nil
        }
        let entered = serializer.tryEnterLocked()
        if policy == .afterCompletion, case .completed = stop { takeSnapshot(into: &late) }
        lock.unlock()
        // Outside the lock, because nothing is accepted after the end, and everything accepted before it is in the loop already.
        visit(late) { element in
            if entered { deliver(element, sequence: .max) } else { enqueue(element) }
            return true
        }
        return entered
    }

    /// Ends the subject without an event and forgets everything.
    package final func forget() {
        lock.lock()
        isForgotten = true
        let isFirst = accept(.abandoned)
        let entered = isFirst && serializer.tryEnterLocked()
        clearAndUnlock()
        if isFirst { deliverStop(entered: entered) }
    }

    // MARK: Subscribing

    package final override func admit(
        _ subscription: SubjectSubscription, _ downstream: Sink<Element>, subject: AnyObject
    ) {
        subscription.isUnlisted = hasAcceptedStop
        downstream.link(subscription)
        var snapshot = ReplaySnapshot()
        defer { snapshot.releaseCopies(of: Element.self) }
        reserve(&snapshot)
        lock.lock()
        if isStopped {
            admitLate(subscription, downstream, &snapshot, subject)
        } else if serializer.tryEnterLocked() {
            // No other thread is delivering: as long as this one is the drainer, all events wait until the replay is over.
            subscription.since = acceptedCount
            if policy != .afterCompletion { takeSnapshot(into: &snapshot) }
            lock.unlock()
            count(subscription)
            perform(.add, subscription)
            replay(snapshot, to: downstream, while: subscription)
            leave()
        } else {
            lock.unlock()
            admitDuringDelivery(subscription, downstream, &snapshot, subject)
        }
    }

    /// Admits a subscription during a delivery, by another thread or by a callback further up this thread's stack.
    ///
    /// A buffer of the subscription's own holds back its events.
    private final func admitDuringDelivery(
        _ subscription: SubjectSubscription, _ downstream: Sink<Element>,
        _ snapshot: inout ReplaySnapshot, _ subject: AnyObject
    ) {
        let buffer = LateSubscriberBuffer(subscription: subscription, downstream: downstream)
        subscription.put(buffer)
        let node = SubjectNode.make(.add, subscription)
        lock.lock()
        if isStopped {
            admitLate(subscription, downstream, &snapshot, subject)
            subscription.dropBuffer()
            _ = SubjectNode.takeCommand(node)
            return
        }
        subscription.since = acceptedCount
        if policy != .afterCompletion { takeSnapshot(into: &snapshot) }
        let admission = serializer.enqueue(node)
        lock.unlock()
        count(subscription)
        if case .entered = admission { run(node) }
        replay(snapshot, to: downstream, while: subscription)
        buffer.open()
        switch admission {
        case .entered: leave()
        case .resumed: serializer.drain(AnySerializerTarget(self))
        case .pending, .closed: break
        }
    }

    /// Gives a new subscriber its events of a subject that has ended. Called with the lock held; releases it.
    private final func admitLate(
        _ subscription: SubjectSubscription, _ downstream: Sink<Element>,
        _ snapshot: inout ReplaySnapshot, _ subject: AnyObject
    ) {
        let isForgotten = self.isForgotten
        let stop = self.stop
        switch (policy, stop) {
        case (_, .abandoned), (.beforeEnd, _): break
        case (.afterCompletion, .error): break
        default: takeSnapshot(into: &snapshot)
        }
        lock.unlock()
        if isForgotten { return downstream.error(RxError.disposed(object: subject)) }
        replay(snapshot, to: downstream, while: subscription)
        if subscription.isCancelled { return }
        switch stop {
        case .completed: downstream.completed()
        case .error(let error): downstream.error(error)
        case .abandoned, nil: break
        }
    }

    /// Makes room for the elements that will probably be remembered in a moment, so that there is no allocation under the lock.
    private final func reserve(_ snapshot: inout ReplaySnapshot) {
        lock.lock()
        let count = keptCount
        lock.unlock()
        snapshot.reserve(count, of: Element.self)
    }
}
