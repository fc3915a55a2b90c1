// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Lets an element through when no other one has followed it for `dueTime`.
    ///
    /// At the end of the source the waiting element is sent at once, followed by `completed`. An error is sent at once, and drops
    /// the waiting element. The time during which the stages below pause the source does not count. On a scheduler of this library an
    /// element costs a reading of the clock and no timer.
    /// - Parameters:
    ///   - dueTime: the time for which the source must be silent.
    ///   - scheduler: runs the timer, and sends the elements that have waited.
    /// - SeeAlso: [Debounce](https://reactivex.io/documentation/operators/debounce.html)
    @inlinable
    public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        TimedOperator(
            source: asObservable(), settings: TimeSettings(interval: dueTime, scheduler: scheduler),
            sinkType: DebounceSink<Element>.self)
    }

    /// As `debounce(_:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Elements that have waited come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public func debounce(for dueTime: Duration, clock: some Clock<Duration> = ContinuousClock()) -> Observable<Element>
    {
        debounce(dueTime.timeInterval, scheduler: ClockScheduler(clock))
    }
}

@usableFromInline
final class DebounceSink<Element>: PausableTimedSink<Element> {
    override var operatorName: StaticString { "debounce" }

    @exclusivity(unchecked) private var machine = DebounceStateMachine()
    @exclusivity(unchecked) private var waiting = HeldElement<Element>()

    override func receive(_ element: Element) {
        waiting.put(element)
        timer.set(after: interval, generation: machine.accept())
    }

    override var awaitsTick: Bool { machine.isWaiting }

    override func receiveTick(_ generation: Int) {
        if machine.expire(generation) { downstream.next(waiting.take()) }
    }

    override func receive(error: any Swift.Error) {
        drop()
        fail(error)
    }

    override func receiveCompleted() {
        sendWaiting()
        if !isCancelled { finish() }
    }

    // Separate, so that no room for an element lies on the stack while the end goes down the chain (law L8).

    @inline(never)
    private func sendWaiting() {
        if machine.end() { downstream.next(waiting.take()) }
    }

    @inline(never)
    private func drop() {
        if machine.end() { _ = waiting.take() }
    }
}

/// Decides whether `debounce` lets the latest element through.
package struct DebounceStateMachine {
    package private(set) var isWaiting = false
    private var generation = 0

    package init() {}

    /// Accepts an element, in place of one that may have been waiting. Returns the generation to set the timer with.
    package mutating func accept() -> Int {
        isWaiting = true
        generation &+= 1
        return generation
    }

    /// Handles a tick of the timer. Returns whether the element is to be sent.
    package mutating func expire(_ generation: Int) -> Bool {
        generation == self.generation && end()
    }

    /// Ends the wait. Returns whether an element was waiting.
    package mutating func end() -> Bool {
        defer { isWaiting = false }
        return isWaiting
    }
}
