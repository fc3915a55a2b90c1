// SPDX-License-Identifier: Apache-2.0

extension PrimitiveSequence {
    /// Delivers the events on a scheduler.
    ///
    /// - Parameter scheduler: where the events are delivered. On `MainScheduler` they are delivered at once when already there.
    /// - SeeAlso: [ObserveOn](https://reactivex.io/documentation/operators/observeon.html)
    @inlinable
    public func observe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.observe(on: scheduler))
    }

    /// Delivers the events on a scheduler.
    @available(*, deprecated, renamed: "observe(on:)")
    @inlinable
    public func observeOn(_ scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        observe(on: scheduler)
    }

    /// Subscribes to the source on a scheduler, and ends that subscription there.
    ///
    /// - Parameter scheduler: where the source is subscribed to. Events are delivered where the source emits them.
    /// - SeeAlso: [SubscribeOn](https://reactivex.io/documentation/operators/subscribeon.html)
    @inlinable
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.subscribe(on: scheduler))
    }

    /// Subscribes to the source on a scheduler, and ends that subscription there.
    @available(*, deprecated, renamed: "subscribe(on:)")
    @inlinable
    public func subscribeOn(_ scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        subscribe(on: scheduler)
    }

    /// Sends the element, or the completion, a span of time later. An error is sent at once.
    ///
    /// - Parameters:
    ///   - dueTime: how much later.
    ///   - scheduler: runs the timer, and sends the events.
    /// - SeeAlso: [Delay](https://reactivex.io/documentation/operators/delay.html)
    @inlinable
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.delay(dueTime, scheduler: scheduler))
    }

    /// Subscribes to the source a span of time later.
    ///
    /// - Parameters:
    ///   - dueTime: how much later.
    ///   - scheduler: runs the timer; the source is subscribed to there.
    /// - SeeAlso: [Delay](https://reactivex.io/documentation/operators/delay.html)
    @inlinable
    public func delaySubscription(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.delaySubscription(dueTime, scheduler: scheduler))
    }

    /// Fails with `RxError.timeout` when no event comes in time.
    ///
    /// - Parameters:
    ///   - dueTime: how long to wait for the element or the end.
    ///   - scheduler: runs the timer, and sends the error.
    /// - SeeAlso: [Timeout](https://reactivex.io/documentation/operators/timeout.html)
    @inlinable
    public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(dueTime, scheduler: scheduler))
    }

    /// Switches to another sequence of the same trait when no event comes in time.
    ///
    /// - Parameters:
    ///   - dueTime: how long to wait for the element or the end.
    ///   - other: subscribed to in that case, on `scheduler`, in place of the source; not timed itself.
    ///   - scheduler: runs the timer.
    /// - SeeAlso: [Timeout](https://reactivex.io/documentation/operators/timeout.html)
    @inlinable
    public func timeout(
        _ dueTime: RxTimeInterval, other: PrimitiveSequence<Trait, Element>, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(dueTime, other: other.source, scheduler: scheduler))
    }

    /// As `delay(_:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Its events come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public func delay(
        for dueTime: Duration, clock: some Clock<Duration> = ContinuousClock()
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.delay(for: dueTime, clock: clock))
    }

    /// As `delaySubscription(_:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Its events come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public func delaySubscription(
        for dueTime: Duration, clock: some Clock<Duration> = ContinuousClock()
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.delaySubscription(for: dueTime, clock: clock))
    }

    /// As `timeout(_:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Its events come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public func timeout(
        after dueTime: Duration, clock: some Clock<Duration> = ContinuousClock()
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(after: dueTime, clock: clock))
    }
}
