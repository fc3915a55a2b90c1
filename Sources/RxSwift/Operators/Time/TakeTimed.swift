// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Passes on the events that come within `duration` from the subscription, then completes.
    ///
    /// - Parameters:
    ///   - duration: the time during which events are passed on.
    ///   - scheduler: runs the timer, and sends `completed` when the time is up.
    /// - SeeAlso: [Take](https://reactivex.io/documentation/operators/take.html)
    @inlinable
    public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        TimedOperator(
            source: asObservable(), settings: TimeSettings(interval: duration, scheduler: scheduler),
            sinkType: TakeTimedSink<Element>.self)
    }

    /// Passes on the events that come within `duration` from the subscription, then completes.
    @available(*, deprecated, renamed: "take(for:scheduler:)")
    @inlinable
    public func take(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        take(for: duration, scheduler: scheduler)
    }

    /// As `take(for:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Elements that have waited come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public func take(for duration: Duration, clock: some Clock<Duration> = ContinuousClock()) -> Observable<Element> {
        take(for: duration.timeInterval, scheduler: ClockScheduler(clock))
    }
}

@usableFromInline
final class TakeTimedSink<Element>: TimedSink<Element, Element> {
    override var operatorName: StaticString { "take(for:)" }

    override func begin() { timer.set(after: interval, generation: 0) }

    /// True once the time is up, though a tick that has met another thread has not sent `completed` yet.
    private var isTimeUp = false

    override func receive(_ element: Element) {
        if !isTimeUp { downstream.next(element) }
    }

    override func receive(error: any Swift.Error) {
        if isTimeUp { finish() } else { fail(error) }
    }

    override func tickGoesBack() { isTimeUp = true }

    override var awaitsTick: Bool { isTimeUp }

    override func receiveTick(_ generation: Int) { finish() }
}
