// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Subscribes to the source later by `dueTime`.
    ///
    /// - Parameters:
    ///   - dueTime: the time between the subscription to the result and that to the source.
    ///   - scheduler: runs the timer; the source is subscribed to there.
    /// - SeeAlso: [Delay](https://reactivex.io/documentation/operators/delay.html)
    @inlinable
    public func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        DelaySubscription(source: asObservable(), settings: TimeSettings(interval: dueTime, scheduler: scheduler))
    }

    /// As `delaySubscription(_:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Elements that have waited come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public func delaySubscription(
        for dueTime: Duration, clock: some Clock<Duration> = ContinuousClock()
    ) -> Observable<Element> {
        delaySubscription(dueTime.timeInterval, scheduler: ClockScheduler(clock))
    }
}

@usableFromInline
final class DelaySubscription<Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let settings: TimeSettings
    @usableFromInline let sinkType: DelaySubscriptionSink<Element>.Type

    @inlinable
    init(source: Observable<Element>, settings: TimeSettings) {
        self.source = source
        self.settings = settings
        sinkType = DelaySubscriptionSink<Element>.self
        super.init()
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Element>) {
        let sink = sinkType.init(source: source, settings: settings, downstream: downstream)
        downstream.link(sink)
        sink.begin()
    }
}

@usableFromInline
final class DelaySubscriptionSink<Element>: Sink<Element>, RestartableTimerTarget {
    private let source: Observable<Element>
    private let settings: TimeSettings
    private let downstream: Sink<Element>
    private let timer: RestartableTimer
    private let subscribePhase = SubscribePhase()

    required init(source: Observable<Element>, settings: TimeSettings, downstream: Sink<Element>) {
        self.source = source
        self.settings = settings
        self.downstream = downstream
        timer = RestartableTimer.on(settings.scheduler)
        super.init()
        timer.setTarget(self)
    }

    func begin() { timer.set(after: settings.interval, generation: 0) }

    func tick(_ generation: Int) {
        // The timer has done its work.
        timer.stop()
        if isCancelled { return }
        subscribePhase.begin()
        source.start(self)
        _ = subscribePhase.end()
    }

    /// No event has been accepted, and none comes any more.
    func timerWasLost(_ error: any Swift.Error) {
        if takeUpstream() != nil { downstream.upstreamReleased() }
    }

    override func next(_ element: Element) { downstream.next(element) }

    package override func upstreamGoesOn() { downstream.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { downstream.pauses(source) }

    override func error(_ error: any Swift.Error) { self.error(error, then: {}) }

    override func completed() { completed(then: {}) }

    override func error(_ error: any Swift.Error, then after: () -> Void) {
        end(subscribePhase, { downstream.error(error) }, then: after)
    }

    override func completed(then after: () -> Void) {
        end(subscribePhase, { downstream.completed() }, then: after)
    }

    override func cancel() {
        guard let source = takeUpstream() else { return }
        timer.stop()
        source.take()?.cancel()
    }
}
