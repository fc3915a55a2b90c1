// SPDX-License-Identifier: Apache-2.0

extension InfallibleType {
    /// Lets an element through when no other has followed it for a while.
    ///
    /// At the end of the source the element that still waits is sent at once, then `completed`. On a scheduler of this library
    /// an element costs a reading of the clock and no timer.
    /// - Parameters:
    ///   - dueTime: how long the source must be silent.
    ///   - scheduler: runs the timer, and sends the elements that have waited.
    /// - SeeAlso: [Debounce](https://reactivex.io/documentation/operators/debounce.html)
    @inlinable
    public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(raw: asObservable().debounce(dueTime, scheduler: scheduler))
    }

    /// Lets at most one element through per span of time.
    ///
    /// The first element passes at once and begins a span. When a span ends, the last element that came during it is sent and begins
    /// the next span; if `latest` is false, none is sent. At the end of the source `completed` waits for the element which is
    /// still to be sent. Spans are measured from after an element was delivered.
    /// - Parameters:
    ///   - dueTime: the least time between two elements.
    ///   - latest: whether the last element of a span is sent at its end.
    ///   - scheduler: runs the timer, and sends the elements that have waited.
    /// - SeeAlso: [Sample](https://reactivex.io/documentation/operators/sample.html)
    @inlinable
    public func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().throttle(dueTime, latest: latest, scheduler: scheduler))
    }

    /// Passes on the elements of a span of time from the subscription, then completes.
    ///
    /// - Parameters:
    ///   - duration: the length of that span.
    ///   - scheduler: runs the timer, and sends `completed` when the time is up.
    /// - SeeAlso: [Take](https://reactivex.io/documentation/operators/take.html)
    @inlinable
    public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(raw: asObservable().take(for: duration, scheduler: scheduler))
    }

    /// As `debounce(_:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Its events come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public func debounce(for dueTime: Duration, clock: some Clock<Duration> = ContinuousClock()) -> Infallible<Element>
    {
        Infallible(raw: asObservable().debounce(for: dueTime, clock: clock))
    }

    /// As `throttle(_:latest:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Its events come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public func throttle(
        for dueTime: Duration, latest: Bool = true, clock: some Clock<Duration> = ContinuousClock()
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().throttle(for: dueTime, latest: latest, clock: clock))
    }

    /// As `take(for:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Its events come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public func take(for duration: Duration, clock: some Clock<Duration> = ContinuousClock()) -> Infallible<Element> {
        Infallible(raw: asObservable().take(for: duration, clock: clock))
    }
}
