// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension ObservableType {
    /// Drops the elements that come within `duration` from the subscription.
    ///
    /// A terminal event is always passed on, also within `duration`.
    /// - Parameters:
    ///   - duration: the time during which elements are dropped.
    ///   - scheduler: runs the timer. Elements are passed on where they come from.
    /// - SeeAlso: [Skip](https://reactivex.io/documentation/operators/skip.html)
    @inlinable
    public func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        SkipTimed(source: asObservable(), settings: TimeSettings(interval: duration, scheduler: scheduler))
    }

    /// As `skip(_:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Elements that have waited come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public func skip(for duration: Duration, clock: some Clock<Duration> = ContinuousClock()) -> Observable<Element> {
        skip(duration.timeInterval, scheduler: ClockScheduler(clock))
    }
}

@usableFromInline
final class SkipTimed<Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let settings: TimeSettings
    @usableFromInline let sinkType: SkipTimedSink<Element>.Type

    @inlinable
    init(source: Observable<Element>, settings: TimeSettings) {
        self.source = source
        self.settings = settings
        sinkType = SkipTimedSink<Element>.self
        super.init()
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Element>) {
        let sink = sinkType.init(settings: settings, downstream: downstream)
        downstream.link(sink)
        sink.begin()
        source.subscribeCore(sink)
    }
}

/// The stage of `skip(_:scheduler:)`. It needs no loop: all events come from the source, and the timer only opens the gate.
@usableFromInline
final class SkipTimedSink<Element>: Sink<Element>, RestartableTimerTarget {
    private let downstream: Sink<Element>
    private let settings: TimeSettings
    private let timer: RestartableTimer

    /// 0 while elements are dropped, 1 once they pass, which is for ever; 2 once the scheduler has ended before that.
    private let gate = AtomicWord(0)
    /// The error of the scheduler that has ended. Written before the gate says so.
    private var lossError: (any Swift.Error)?

    required init(settings: TimeSettings, downstream: Sink<Element>) {
        self.downstream = downstream
        self.settings = settings
        timer = RestartableTimer.on(settings.scheduler)
        super.init()
        timer.setTarget(self)
    }

    func begin() { timer.set(after: settings.interval, generation: 0) }

    func tick(_ generation: Int) { gate.storeRelaxed(1) }

    func timerWasLost(_ error: any Swift.Error) {
        lossError = error
        // Releasing: paired with the load in `failWithLoss`. The source's next element brings the error, as all events come from the source.
        gate.storeReleasing(2)
    }

    override func next(_ element: Element) {
        let state = gate.loadRelaxed()
        if state == 1 { return downstream.next(element) }
        if state == 2 { failWithLoss() }
    }

    @inline(never)
    private func failWithLoss() {
        // Acquiring: paired with the store in `timerWasLost`.
        _ = gate.loadAcquiring()
        if isCancelled { return }
        guard let lossError else { preconditionFailure("skip: a loss without its error") }
        error(lossError)
    }

    package override func upstreamGoesOn() { downstream.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { downstream.pauses(source) }

    override func error(_ error: any Swift.Error) {
        downstream.error(error)
        cancel()
    }

    override func completed() {
        downstream.completed()
        cancel()
    }

    override func cancel() {
        guard let source = takeUpstream() else { return }
        timer.stop()
        source.take()?.cancel()
    }
}
