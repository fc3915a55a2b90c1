// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension ObservableType {
    /// Sends each element, and `completed`, later by `dueTime`.
    ///
    /// An error is not delayed: it is sent at once, and drops the waiting elements. Elements keep their order and their distances,
    /// as far as the time that delivery takes allows. Those whose time has not come wait without a bound. A source that can pause does so while
    /// the scheduler is late and 8,192 elements wait, or 16 `Weighted` ones, until half of that is left.
    /// - Parameters:
    ///   - dueTime: the time between an event of the source and the same event of the result.
    ///   - scheduler: runs the timer, and sends the elements.
    /// - SeeAlso: [Delay](https://reactivex.io/documentation/operators/delay.html)
    @inlinable
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        TimedOperator(
            source: asObservable(), settings: TimeSettings(interval: dueTime, scheduler: scheduler),
            sinkType: DelaySink<Element>.self)
    }

    /// As `delay(_:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Elements that have waited come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public func delay(for dueTime: Duration, clock: some Clock<Duration> = ContinuousClock()) -> Observable<Element> {
        delay(dueTime.timeInterval, scheduler: ClockScheduler(clock))
    }
}

/// The source enqueues events without entering the loop; the timer is set for the oldest event.
@usableFromInline
final class DelaySink<Element>: TimedSink<Element, Element> {
    override var operatorName: StaticString { "delay" }

    // The queues lead from the source to the thread inside the loop. There is one arrival time for each element, and one for `completed`.
    private let elements = SPSCQueue<Element>()
    private let arrivals = SPSCQueue<Int64>()

    /// The number of events in the queue. The producer sets the timer when it raises the count from 0; the tick sets it if events remain.
    private let count = AtomicWord(0)

    private let backlogPlace = Backlog.Place()

    /// The arrival time of the oldest event, as a bit pattern. The source writes it when it raises `count` from 0, otherwise the tick.
    private let oldestArrival = AtomicWord(0)
    /// 1 if sources may wait for the scheduler to catch up.
    private let isPausing = AtomicWord(0)
    private let lock = Mutex()
    /// Protected by the lock.
    private var waitingSources = WaitingSources()

    /// True if the arrival time of the oldest event was taken out already. Used only inside the loop.
    private var isOldestCounted = false

    /// The nanoseconds for which one tick goes on.
    private static var turnTime: Int64 { 200_000 }

    override func next(_ element: Element) {
        if isCancelled { return }
        elements.push(element)
        enqueued()
    }

    override func completed() {
        enqueued()
        endSource()
    }

    private func enqueued() {
        let now = timer.scheduler.now
        arrivals.push(now)
        // Releasing: paired with the same in `receiveTick`.
        let before = count.fetchAdd(1)
        if before == 0 {
            note(oldestArrival: now)
            timer.set(after: interval, generation: 0)
        }
        let waiting = Int(bitPattern: before) + 1
        if Backlog.isNotable(waiting) { Backlog.noticed(waiting, at: "delay", backlogPlace) }
    }

    override func receive(error: any Swift.Error) {
        endSource()
        fail(error)
    }

    override func receiveLoss(_ error: any Swift.Error) {
        // Acquiring: paired with the read-modify-write in `enqueued`.
        if count.loadAcquiring() == 0 { return }
        // What waits may be no more than the end.
        if elements.isEmpty { finish() } else { fail(error) }
    }

    override func receiveTick(_ generation: Int) {
        // If the program sees each action of the scheduler, each event has an action of its own.
        let sendsOne = timer.scheduler.batchLimit == 1
        var start: Int64?
        while true {
            if !isOldestCounted { _ = arrivals.pop() }
            isOldestCounted = false
            if elements.isEmpty { return finish() }
            downstream.next(elements.popKnown())
            if isCancelled { return }
            let waiting = count.fetchAdd(0 &- 1) &- 1
            if isPausing.loadRelaxed() != 0, waiting <= DelaySink.pauseBound / 2 { resumeSources() }
            if waiting == 0 { return }
            // Outside waits an error, which drops the rest, or the question of a source; after that, a further tick continues.
            if isAwaited { return timer.setAgain(after: 0) }
            guard let arrival = arrivals.pop() else { preconditionFailure("delay: an event without its arrival time") }
            isOldestCounted = true
            note(oldestArrival: arrival)
            let now = timer.scheduler.now
            let rest = interval.nanosecondsClamped.addingClamped(arrival.subtractingClamped(now))
            // A source that is faster than the downstream leaves the scheduler to other work now and then.
            let isLong = now.subtractingClamped(start ?? now) > DelaySink.turnTime
            start = start ?? now
            if rest > 0, isPausing.loadRelaxed() != 0 { resumeSources() }
            if rest > 0 || sendsOne || isLong { return timer.setAgain(after: max(0, rest)) }
        }
    }

    // MARK: Pausing
    //
    // While the scheduler is late, events wait for longer than the delay, and their source pauses as above a full hop.

    /// The number of elements that wait from which on a source pauses while the scheduler is late.
    private static var pauseBound: UInt { isWeighted(Element.self) ? 16 : 8_192 }

    package override func pauses(_ source: any PausableSource) -> Bool {
        guard count.loadRelaxed() >= DelaySink.pauseBound, isLate else { return super.pauses(source) }
        let inspected = lock.withLock { waitingSources.add(source) }
        defer { withExtendedLifetime(inspected) {} }
        isPausing.storeRelaxed(1)
        // A read-modify-write: either the tick that takes the last element of the lower half sees `isPausing`, or this thread sees what it has left.
        if isCancelled || count.fetchAdd(0) <= DelaySink.pauseBound / 2 { resumeSources() }
        return true
    }

    /// True if the oldest event should have been sent. Called on the source's thread, and so runs no user's scheduler.
    private var isLate: Bool {
        if timer.scheduler.batchLimit == 1 { return false }
        let arrival = Int64(truncatingIfNeeded: oldestArrival.loadRelaxed())
        return timer.scheduler.now.subtractingClamped(arrival) > interval.nanosecondsClamped
    }

    private func note(oldestArrival arrival: Int64) { oldestArrival.storeRelaxed(UInt(truncatingIfNeeded: arrival)) }

    @inline(never)
    private func resumeSources() {
        isPausing.storeRelaxed(0)
        let resumed = lock.withLock { waitingSources.takeAll() }
        resumed.resume()
    }

    override func terminate() {
        super.terminate()
        if isPausing.loadRelaxed() != 0 { resumeSources() }
    }
}
