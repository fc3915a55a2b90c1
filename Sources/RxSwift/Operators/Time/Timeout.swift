// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension ObservableType {
    /// Fails with `RxError.timeout` when the next event does not come in time.
    ///
    /// The time during which the stages below pause the source does not count.
    /// - Parameters:
    ///   - dueTime: the time to wait for the first event, and after each element for the next.
    ///   - scheduler: runs the timer, and sends the error.
    /// - SeeAlso: [Timeout](https://reactivex.io/documentation/operators/timeout.html)
    @inlinable
    public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Timeout(source: asObservable(), other: nil, settings: TimeSettings(interval: dueTime, scheduler: scheduler))
    }

    /// Switches to another sequence when the next event does not come in time.
    ///
    /// The time during which the stages below pause the source does not count.
    /// - Parameters:
    ///   - dueTime: the time to wait for the first event, and after each element for the next.
    ///   - other: subscribed to in that case, on `scheduler`, in place of the source. It is not timed itself.
    ///   - scheduler: runs the timer.
    /// - SeeAlso: [Timeout](https://reactivex.io/documentation/operators/timeout.html)
    @inlinable
    public func timeout<Source: ObservableConvertibleType>(
        _ dueTime: RxTimeInterval, other: Source, scheduler: any SchedulerType
    ) -> Observable<Element> where Element == Source.Element {
        Timeout(
            source: asObservable(), other: other.asObservable(),
            settings: TimeSettings(interval: dueTime, scheduler: scheduler))
    }

    /// As `timeout(_:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Elements that have waited come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public func timeout(after dueTime: Duration, clock: some Clock<Duration> = ContinuousClock()) -> Observable<Element>
    {
        timeout(dueTime.timeInterval, scheduler: ClockScheduler(clock))
    }

    /// As `timeout(_:other:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Elements that have waited come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public func timeout<Source: ObservableConvertibleType>(
        after dueTime: Duration, other: Source, clock: some Clock<Duration> = ContinuousClock()
    ) -> Observable<Element> where Source.Element == Element {
        timeout(dueTime.timeInterval, other: other, scheduler: ClockScheduler(clock))
    }
}

@usableFromInline
final class Timeout<Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let other: Observable<Element>?
    @usableFromInline let settings: TimeSettings
    @usableFromInline let sinkType: TimeoutSink<Element>.Type

    @inlinable
    init(source: Observable<Element>, other: Observable<Element>?, settings: TimeSettings) {
        self.source = source
        self.other = other
        self.settings = settings
        sinkType = TimeoutSink<Element>.self
        super.init()
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Element>) {
        let sink = sinkType.init(settings: settings, downstream: downstream)
        sink.other = other
        downstream.link(sink)
        sink.begin()
        source.subscribeCore(sink)
    }
}

/// The stage of `timeout`. Its own upstream link is that of the other sequence.
@usableFromInline
final class TimeoutSink<Element>: PausableTimedSink<Element> {
    override var operatorName: StaticString { "timeout" }

    /// The other sequence, written once, before the timer is set.
    var other: Observable<Element>?

    private let sourceLink = UpstreamLink()

    private let subscribePhase = SubscribePhase()

    /// The number of elements so far, which is the generation of the valid timer. Used only by the drainer.
    private var generation = 0

    override func link(_ stage: Stage) { sourceLink.link(stage) }

    fileprivate func linkOther(_ stage: Stage) { super.link(stage) }

    override func begin() { timer.set(after: interval, generation: 0) }

    override func receive(_ element: Element) {
        // This comes first, so that a tick during the delivery of the element comes too late.
        generation &+= 1
        downstream.next(element)
        if !isCancelled { timer.set(after: interval, generation: generation) }
    }

    override var awaitsTick: Bool { true }

    override func receiveTick(_ generation: Int) {
        guard generation == self.generation else { return }
        guard let other else { return fail(RxError.timeout) }
        shut()
        // Closures above the source must not run while the other sequence delivers.
        sourceLink.quiesceUpstream()
        timer.stop()
        // The source ends after the other sequence was subscribed to, so that a source that both share is not started anew (law L11).
        subscribePhase.begin()
        if !isCancelled { other.start(TimeoutOtherSink(coordinator: self)) }
        _ = subscribePhase.end()
        sourceLink.cancel()
    }

    override func forEachFurtherLink(_ body: (Stage) -> Void) { body(sourceLink) }

    /// Passes the end of the other sequence on.
    fileprivate func endOther(_ tell: () -> Void, then after: () -> Void) { end(subscribePhase, tell, then: after) }

    override func terminate() {
        super.terminate()
        sourceLink.cancel()
    }

    override func sourceEnded() { sourceLink.cancel() }
}

/// Receives the events of the other sequence, which are the only ones once it replaces the source.
private final class TimeoutOtherSink<Element>: Sink<Element> {
    private let coordinator: TimeoutSink<Element>

    init(coordinator: TimeoutSink<Element>) {
        self.coordinator = coordinator
        super.init()
    }

    override func link(_ stage: Stage) { coordinator.linkOther(stage) }

    override func next(_ element: Element) {
        if !coordinator.isCancelled { coordinator.downstream.next(element) }
    }

    override func upstreamGoesOn() {
        if !coordinator.isCancelled { coordinator.downstream.upstreamGoesOn() }
    }

    override func pauses(_ source: any PausableSource) -> Bool {
        !coordinator.isCancelled && coordinator.downstream.pauses(source)
    }

    override func error(_ error: any Swift.Error) { self.error(error, then: {}) }

    override func completed() { completed(then: {}) }

    override func error(_ error: any Swift.Error, then after: () -> Void) {
        if coordinator.isCancelled { return after() }
        coordinator.endOther({ coordinator.downstream.error(error) }, then: after)
    }

    override func completed(then after: () -> Void) {
        if coordinator.isCancelled { return after() }
        coordinator.endOther({ coordinator.downstream.completed() }, then: after)
    }
}
