// SPDX-License-Identifier: Apache-2.0

extension ObservableType where Element: FixedWidthInteger {
    /// The numbers from 0, one each period, without an end.
    ///
    /// Periods follow a monotonic clock and do not drift: each number is due a period after the one before was due. A number that
    /// is due while the one before is being delivered comes right after it. Further periods that pass meanwhile are skipped; the numbers have no gaps.
    /// - Parameters:
    ///   - period: the time between two numbers, and before the first.
    ///   - scheduler: runs the timer, and sends the numbers.
    /// - SeeAlso: [Interval](https://reactivex.io/documentation/operators/interval.html)
    @inlinable
    public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        TimerSource(dueTime: period, period: period, scheduler: scheduler) { Element(truncatingIfNeeded: $0) }
    }

    /// Sends 0 after a span of time and completes, or continues with a period.
    ///
    /// Waiting costs no thread and no kernel timer of its own. Subscribing and disposing are O(1).
    /// - Parameters:
    ///   - dueTime: the time to wait for 0.
    ///   - period: the time between the numbers that follow, see `interval(_:scheduler:)`. Without it, 0 is the only one.
    ///   - scheduler: runs the timer, and sends the numbers.
    /// - SeeAlso: [Timer](https://reactivex.io/documentation/operators/timer.html)
    @inlinable
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
    ) -> Observable<Element> {
        TimerSource(dueTime: dueTime, period: period, scheduler: scheduler) { Element(truncatingIfNeeded: $0) }
    }

    /// As `interval(_:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Elements that have waited come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public static func interval(
        _ period: Duration, clock: some Clock<Duration> = ContinuousClock()
    ) -> Observable<Element> {
        interval(period.timeInterval, scheduler: ClockScheduler(clock))
    }

    /// As `timer(_:period:scheduler:)`, by a clock of Swift's concurrency.
    ///
    /// Elements that have waited come on a serial queue of the operator's own, or inside `advance` of a clock that a test advances.
    public static func timer(
        after dueTime: Duration, period: Duration? = nil, clock: some Clock<Duration> = ContinuousClock()
    ) -> Observable<Element> {
        timer(dueTime.timeInterval, period: period?.timeInterval, scheduler: ClockScheduler(clock))
    }
}

@usableFromInline
final class TimerSource<Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline let dueTime: RxTimeInterval
    @usableFromInline let period: RxTimeInterval?
    @usableFromInline let scheduler: any TimedJobScheduler
    @usableFromInline let jobType: TimerJob<Element>.Type
    @usableFromInline let number: (Int) -> Element

    /// - Parameter number: returns the element for a count from 0. It comes from where the type is known: generic arithmetic is slow.
    @inlinable
    init(
        dueTime: RxTimeInterval, period: RxTimeInterval?, scheduler: any SchedulerType,
        number: @escaping (Int) -> Element
    ) {
        self.number = number
        self.dueTime = dueTime
        self.period = period
        self.scheduler = timedJobScheduler(for: scheduler)
        jobType = TimerJob<Element>.self
        super.init()
    }

    /// Only a user's scheduler might run the timer right inside `subscribe`.
    @usableFromInline
    override var startsOnTrampoline: Bool { type(of: scheduler) == CustomTimedSchedulerAdapter.self }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Element>) {
        if let period, let foreign = scheduler as? CustomTimedSchedulerAdapter {
            return subscribeCore(downstream, period, on: foreign.timedScheduler)
        }
        let job = jobType.init(number: number, downstream: downstream, scheduler: scheduler)
        downstream.link(job)
        job.begin(dueTime, period)
    }

    /// Uses the periodic timer of a foreign scheduler, which may work differently. Its ticks might overlap, hence the serializer.
    @inline(never)
    private func subscribeCore(_ downstream: Sink<Element>, _ period: RxTimeInterval, on scheduler: any SchedulerType) {
        let sink = PeriodicSink(downstream: downstream)
        sink.linkDownstream()
        let periodic = scheduler.schedulePeriodic(0, startAfter: dueTime, period: period) { [number] count in
            sink.next(number(count))
            return count &+ 1
        }
        sink.link(DisposableStage(periodic))
    }
}

final class PeriodicSink<Element>: SerializedSink<Element> {
    package override var operatorName: StaticString { "interval" }
}

@usableFromInline
final class TimerJob<Element>: SchedulerJob {
    private let number: (Int) -> Element
    private let downstream: Sink<Element>
    private let scheduler: any TimedJobScheduler

    // Used before the job is first submitted, and then by the current run.
    @exclusivity(unchecked) private var count = 0
    @exclusivity(unchecked) private var schedule: FixedRateSchedule?

    required init(number: @escaping (Int) -> Element, downstream: Sink<Element>, scheduler: any TimedJobScheduler) {
        self.number = number
        self.downstream = downstream
        self.scheduler = scheduler
        super.init()
    }

    func begin(_ dueTime: RxTimeInterval, _ period: RxTimeInterval?) {
        if let period {
            schedule = FixedRateSchedule(period: period, startAfter: dueTime, now: scheduler.now)
        }
        scheduler.submit(self, after: dueTime)
        hasSubmitted()
    }

    private func hasSubmitted() {
        // `cancel` may have come too early to find the job.
        if isCancelled { scheduler.unschedule(self) }
    }

    override func run(_ budget: inout Int) -> Bool {
        if isCancelled { return true }
        let current = count
        count = current &+ 1
        downstream.next(number(current))
        if isCancelled { return true }
        if schedule == nil {
            downstream.completed()
        } else {
            scheduler.submitAgain(self, after: schedule!.next(at: scheduler.now))
            hasSubmitted()
        }
        return true
    }

    override func cancel() {
        if takeUpstream() != nil { scheduler.unschedule(self) }
    }

    /// No number comes any more: a subscription that the user does not hold would keep itself, and the scheduler.
    override func wasRejected() -> Bool {
        defer { downstream.upstreamReleased() }
        return super.wasRejected()
    }
}
