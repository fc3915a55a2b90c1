// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Lets at most one element through per interval of `dueTime`.
    ///
    /// Emits the first element immediately and starts an interval of `dueTime`. If `latest`, the last element received during an
    /// interval is emitted at its end and starts the next one; otherwise the elements received meanwhile are dropped. At the end of
    /// the source `completed` waits for the element that is still to be sent; an error does not, and drops it. Intervals are
    /// measured from the end of the delivery of an element.
    /// - Parameters:
    ///   - dueTime: the least time between two elements.
    ///   - latest: whether the last element of an interval is sent at its end.
    ///   - scheduler: runs the timer, and sends the elements that have waited.
    /// - SeeAlso: [Sample](https://reactivex.io/documentation/operators/sample.html)
    @inlinable
    public func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Observable<Element> {
        let settings = TimeSettings(interval: dueTime, scheduler: scheduler)
        if latest {
            return TimedOperator(source: asObservable(), settings: settings, sinkType: ThrottleSink<Element>.self)
        }
        return ThrottleFirst(source: asObservable(), settings: settings)
    }

    /// As `throttle(_:latest:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Elements that have waited come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public func throttle(
        for dueTime: Duration, latest: Bool = true, clock: some Clock<Duration> = ContinuousClock()
    ) -> Observable<Element> {
        throttle(dueTime.timeInterval, latest: latest, scheduler: ClockScheduler(clock))
    }
}

@usableFromInline
final class ThrottleSink<Element>: TimedSink<Element, Element> {
    override var operatorName: StaticString { "throttle" }

    @exclusivity(unchecked) private var machine: ThrottleStateMachine
    @exclusivity(unchecked) private var waiting = HeldElement<Element>()

    required init(settings: TimeSettings, downstream: Sink<Element>) {
        machine = ThrottleStateMachine(interval: settings.interval.nanosecondsClamped)
        super.init(settings: settings, downstream: downstream)
    }

    override func receive(_ element: Element) {
        switch machine.accept(at: timer.scheduler.now) {
        case .send(let displaces):
            if displaces { drop() }
            send(element)
        case .wait(let generation, let rest):
            waiting.put(element)
            timer.set(after: .nanoseconds(Int(rest)), generation: generation)
        case .replace:
            waiting.put(element)
        }
    }

    override var awaitsTick: Bool { machine.isWaiting }

    override func receiveTick(_ generation: Int) {
        guard machine.isCurrent(generation) else { return }
        if machine.takeWaiting() { send(waiting.take()) }
        if machine.hasEnded, !isCancelled { finish() }
    }

    override func receive(error: any Swift.Error) {
        if machine.takeWaiting() { drop() }
        fail(error)
    }

    /// Separate, so that no room for an element lies on the stack while the end goes down the chain (law L8).
    @inline(never)
    private func drop() { _ = waiting.take() }

    override func receiveCompleted() {
        if machine.end() { finish() }
    }

    override func completed(then after: () -> Void) {
        acceptCompletion()
        after()
        sourceEnded()
    }

    private func send(_ element: Element) {
        downstream.next(element)
        // The clock is read again, as the downstream may have taken its time.
        if !isCancelled { machine.sent(at: timer.scheduler.now) }
    }
}

/// Decides whether `throttle` sends an element, keeps it or drops it.
package struct ThrottleStateMachine {
    private var schedule: ThrottleSchedule
    package private(set) var isWaiting = false
    private var generation = 0

    /// True if the source has completed while an element was waiting.
    package private(set) var hasEnded = false

    package enum Action: Equatable {
        /// Send the element now, and drop the one that waits if it displaces one.
        case send(displaces: Bool)
        /// Keep the element and set the timer.
        case wait(generation: Int, rest: Int64)
        /// Keep the element in place of the one that waits; the timer is set.
        case replace
    }

    /// - Parameter interval: the interval in nanoseconds.
    package init(interval: Int64) { schedule = ThrottleSchedule(interval: interval) }

    /// Accepts an element. Returns the action to take with it.
    package mutating func accept(at now: Int64) -> Action {
        let rest = schedule.rest(at: now)
        if rest <= 0 { return .send(displaces: takeWaiting()) }
        if isWaiting { return .replace }
        isWaiting = true
        generation &+= 1
        return .wait(generation: generation, rest: rest)
    }

    /// Tells whether a tick is that of the timer set last.
    package func isCurrent(_ generation: Int) -> Bool { generation == self.generation }

    /// Ends the wait. Returns whether an element was waiting.
    package mutating func takeWaiting() -> Bool {
        defer { isWaiting = false }
        return isWaiting
    }

    /// Notes that an element has been delivered.
    package mutating func sent(at now: Int64) { schedule.lastSent = now }

    /// Notes that the source has completed. Returns whether to pass that on now.
    package mutating func end() -> Bool {
        hasEnded = true
        return !isWaiting
    }
}

/// The schedule of elements that may pass, in nanoseconds.
struct ThrottleSchedule {
    let interval: Int64
    var lastSent: Int64?

    init(interval: Int64) { self.interval = interval }

    /// Returns the time until the next element may pass.
    func rest(at now: Int64) -> Int64 {
        guard let lastSent else { return 0 }
        return interval.addingClamped(lastSent.subtractingClamped(now))
    }
}

// MARK: Without the latest: no timer

@usableFromInline
final class ThrottleFirst<Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let settings: TimeSettings
    @usableFromInline let sinkType: ThrottleFirstSink<Element>.Type

    @inlinable
    init(source: Observable<Element>, settings: TimeSettings) {
        self.source = source
        self.settings = settings
        sinkType = ThrottleFirstSink<Element>.self
        super.init()
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Element>) {
        source.subscribeCore(sinkType.init(settings: settings, downstream: downstream))
    }
}

@usableFromInline
final class ThrottleFirstSink<Element>: LinearSink<Element, Element> {
    private let clock: any TimedJobScheduler
    private var schedule: ThrottleSchedule

    required init(settings: TimeSettings, downstream: Sink<Element>) {
        clock = timedJobScheduler(for: settings.scheduler)
        schedule = ThrottleSchedule(interval: settings.interval.nanosecondsClamped)
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) {
        guard schedule.rest(at: clock.now) <= 0 else { return }
        downstream.next(element)
        if !isCancelled { schedule.lastSent = clock.now }
    }
}
