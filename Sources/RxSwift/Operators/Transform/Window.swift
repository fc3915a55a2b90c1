// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension ObservableType {
    /// Divides the elements into windows, each a sequence that completes when it has enough elements or enough time has passed.
    ///
    /// The first window is sent when subscribing. A subscriber of a window gets the elements that come while it is subscribed. The
    /// source stays subscribed to until the subscription and those to all windows have ended.
    /// - Parameters:
    ///   - timeSpan: the longest time that a window is open.
    ///   - count: the greatest number of elements in a window; without a limit if not positive.
    ///   - scheduler: runs the timer, and replaces the windows whose time has come.
    /// - SeeAlso: [Window](https://reactivex.io/documentation/operators/window.html)
    @inlinable
    public func window(
        timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<Observable<Element>> {
        TimedOperator(
            source: asObservable(), settings: TimeSettings(interval: timeSpan, scheduler: scheduler, count: count),
            sinkType: WindowSink<Element>.self)
    }

    /// As `window(timeSpan:count:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Elements that have waited come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public func window(
        for timeSpan: Duration, count: Int, clock: some Clock<Duration> = ContinuousClock()
    ) -> Observable<Observable<Element>> {
        window(timeSpan: timeSpan.timeInterval, count: count, scheduler: ClockScheduler(clock))
    }
}

@usableFromInline
final class WindowSink<Element>: TimedSink<Element, Observable<Element>> {
    override var operatorName: StaticString { "window" }

    // Only the drainer uses these two fields.
    private var machine: WindowStateMachine
    private var window: SharedUpstreamSubject<Element>

    /// The subscription to the source and the timer, held in shares: by the downstream, and by the subscribers of windows.
    private let sharedUpstream = SharedUpstream()
    private let share: UpstreamShare

    required init(settings: TimeSettings, downstream: Sink<Observable<Element>>) {
        machine = WindowStateMachine(limit: settings.count)
        share = UpstreamShare(sharedUpstream)
        window = SharedUpstreamSubject(sharedUpstream: sharedUpstream, name: "window")
        super.init(settings: settings, downstream: downstream)
        sharedUpstream.link(self)
    }

    override var stageForDownstream: Stage { share }

    @usableFromInline
    override func link(_ stage: Stage) {
        sharedUpstream.willLink(stage)
        super.link(stage)
    }

    override func begin() {
        enter {
            sendWindow()
            if !isCancelled { timer.set(after: interval, generation: machine.generation) }
        }
    }

    private func sendWindow() {
        if !share.isCancelled { downstream.next(WindowObservable(window)) }
    }

    package override func upstreamGoesOn() {
        sharedUpstream.countUnwanted()
        super.upstreamGoesOn()
    }

    override func receive(_ element: Element) {
        sharedUpstream.countUnwanted()
        window.core.next(element)
        if machine.accept(), !isCancelled { turnOver() }
    }

    // The elements that come behind the tick belong to the next window.
    override var keepsPlaceOfTick: Bool { true }

    override func receiveTick(_ generation: Int) {
        if machine.expire(generation) { turnOver() }
    }

    /// The stage behind the sequence of windows decides, also where the open window has room: a window of few elements never fills a hop of its own.
    override func downstreamPauses(_ source: any PausableSource) -> Bool {
        share.isCancelled ? window.core.pauses(source) : super.downstreamPauses(source)
    }

    private func turnOver() {
        let old = window
        window = SharedUpstreamSubject(sharedUpstream: sharedUpstream, name: "window")
        old.core.end(.completed)
        sendWindow()
        if !isCancelled { timer.set(after: interval, generation: machine.generation) }
    }

    override func receive(error: any Swift.Error) {
        window.core.end(.error(error))
        if !share.isCancelled { fail(error) }
    }

    override func receiveCompleted() {
        window.core.end(.completed)
        if !share.isCancelled { finish() }
    }
}

/// Decides when `window` replaces the open window.
struct WindowStateMachine {
    private let limit: Int
    private var count = 0

    /// The number of the open window, which is also the generation of its timer.
    private(set) var generation = 0

    init(limit: Int) { self.limit = limit }

    /// Counts an element. Returns whether it was the window's last.
    mutating func accept() -> Bool {
        count += 1
        if count == limit { turnOver() }
        return count == 0
    }

    /// Handles a tick of the timer. Returns whether the window's time has passed.
    mutating func expire(_ generation: Int) -> Bool {
        if generation != self.generation { return false }
        turnOver()
        return true
    }

    private mutating func turnOver() {
        count = 0
        generation &+= 1
    }
}

/// A window as its subscribers see it.
private final class WindowObservable<Element>: Observable<Element>, @unchecked Sendable {
    private let subject: SharedUpstreamSubject<Element>

    init(_ subject: SharedUpstreamSubject<Element>) {
        self.subject = subject
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) { subject.subscribeCore(downstream) }
}
