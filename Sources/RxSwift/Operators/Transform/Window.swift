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
    // Only the drainer uses these two fields.
    private var machine: WindowStateMachine
    private var subject = PublishSubject<Element>()

    /// 0 until the downstream cancels, then 1 for ever: it takes no new windows.
    private let isOuterDisposed = AtomicWord(0)

    /// Ends everything after the subscription and those to all windows have ended.
    private var references: RefCountDisposable!

    required init(settings: TimeSettings, downstream: Sink<Observable<Element>>) {
        machine = WindowStateMachine(limit: settings.count)
        super.init(settings: settings, downstream: downstream)
        references = RefCountDisposable(disposable: Disposables.create { self.end() })
    }

    override func begin() {
        enter {
            sendWindow()
            if !isCancelled { timer.set(after: interval, generation: machine.generation) }
        }
    }

    private func sendWindow() {
        if isOuterDisposed.loadRelaxed() == 0 {
            downstream.next(WindowSource(subject: subject, references: references))
        }
    }

    override func receive(_ element: Element) {
        subject.core.next(element)
        if machine.accept(), !isCancelled { turnOver() }
    }

    override func receiveTick(_ generation: Int) {
        if machine.expire(generation) { turnOver() }
    }

    /// Only if the downstream and the subscribers of the open window pause the source.
    override func downstreamPauses(_ source: any PausableSource) -> Bool {
        (isOuterDisposed.loadRelaxed() != 0 || super.downstreamPauses(source)) && subject.core.pauses(source)
    }

    private func turnOver() {
        let old = subject
        subject = PublishSubject()
        old.core.end(.completed)
        sendWindow()
        if !isCancelled { timer.set(after: interval, generation: machine.generation) }
    }

    override func receive(error: any Swift.Error) {
        subject.core.end(.error(error))
        if isOuterDisposed.loadRelaxed() == 0 { fail(error) }
    }

    override func receiveCompleted() {
        subject.core.end(.completed)
        if isOuterDisposed.loadRelaxed() == 0 { finish() }
    }

    /// Quiesces nothing, because the windows may continue.
    package override func quiesce() -> UInt { 0 }

    /// Ends the subscription; the windows continue while one of them has a subscriber.
    override func cancel() {
        if leavesNoWindow() { end() }
    }

    /// Not inlined: cancellations nest as deep as chains are long, so the stack must not hold then what only this method needs (law L8).
    @inline(never)
    private func leavesNoWindow() -> Bool {
        isOuterDisposed.exchange(1) == 0 && references.disposePrimary() != nil
    }

    private func end() { super.cancel() }
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

/// A window as its subscribers see it. Each subscriber keeps the source subscribed to.
private final class WindowSource<Element>: Observable<Element>, @unchecked Sendable {
    private let subject: PublishSubject<Element>
    private let references: RefCountDisposable

    init(subject: PublishSubject<Element>, references: RefCountDisposable) {
        self.subject = subject
        self.references = references
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        subject.subscribeCore(WindowSubscriber(reference: references.retain(), downstream: downstream))
    }
}

private final class WindowSubscriber<Element>: LinearSink<Element, Element> {
    private let reference: any Disposable

    init(reference: any Disposable, downstream: Sink<Element>) {
        self.reference = reference
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) { downstream.next(element) }

    // A window that has ended sends its terminal event without being linked, so no call of `cancel` follows.

    override func error(_ error: any Swift.Error) {
        downstream.error(error)
        reference.dispose()
    }

    override func completed() {
        downstream.completed()
        reference.dispose()
    }

    override func cancel() {
        super.cancel()
        reference.dispose()
    }

    // Not forwarded: the reference is disposed of only when this stage is cancelled.
    override func upstreamReleased() {}
}
