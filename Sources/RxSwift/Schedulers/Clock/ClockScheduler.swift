// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Runs actions one after another, delayed ones by a clock of Swift's concurrency.
///
/// With a clock that tests advance (`TestClock` of RxTest) actions run inside `advance`, on the thread that calls it. With any other clock they
/// run in order of submission on a serial queue of their own. The clock-driven operators, such as `debounce(for:clock:)`, are those of a
/// scheduler with this one.
///
/// A delayed action costs a task that sleeps on the clock. A clock whose `sleep` throws without cancellation never runs that action,
/// which is released, and reported to `Hooks.workRejectedHandler` by the name "ClockScheduler".
public final class ClockScheduler<ClockType: Clock>: SchedulerType, TimedJobSchedulerProviding, @unchecked Sendable
where ClockType.Duration == Duration {
    /// The clock that delays follow.
    public let clock: ClockType

    package let timedJobs: any TimedJobScheduler

    /// The wall clock's time when the clock showed `start`.
    private let startDate: Date
    private let start: ClockType.Instant

    /// Creates a scheduler whose delays follow a clock.
    ///
    /// - Parameter clock: the clock that delays follow.
    public init(_ clock: ClockType) {
        self.clock = clock
        start = clock.now
        if let virtual = clock as? any VirtualClock {
            timedJobs = virtual.timedJobs
            startDate = Date(timeIntervalSince1970: Double(virtual.timedJobs.now) / 1e9)
        } else {
            timedJobs = ClockJobScheduler(clock)
            startDate = Date()
        }
    }

    /// The time of the clock: the wall clock's when the scheduler was made, and from then on as the clock goes.
    public var now: Date { startDate.addingTimeInterval(start.duration(to: clock.now) / .seconds(1)) }

    /// Schedules an action, to run after the work submitted before.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ActionJob(UserAction(state, action), scheduler: timedJobs)
        timedJobs.submit(job)
        return job
    }

    /// Schedules an action to be submitted when `dueTime` of the clock has passed.
    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ActionJob(UserAction(state, action), scheduler: timedJobs)
        timedJobs.submit(job, after: dueTime)
        return job
    }

    /// Schedules an action to be run again and again.
    ///
    /// Runs never overlap: when some come due while one is under way, one follows right after it, and the others are skipped.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        PeriodicJob(state: state, startAfter: startAfter, period: period, action: action, scheduler: timedJobs)
    }
}

/// A clock that runs jobs itself, when the program advances it.
package protocol VirtualClock: Clock where Duration == Swift.Duration {
    var timedJobs: any TimedJobScheduler { get }
}

extension Duration {
    /// The same span for schedulers: nanoseconds, rounded up. Negative spans become zero; those of 292 years and more, the longest there is.
    package var timeInterval: RxTimeInterval { .nanoseconds(Int(nanosecondsClamped)) }

    package var nanosecondsClamped: Int64 {
        if self <= .zero { return 0 }
        // `components` traps for spans whose seconds do not fit.
        if self >= .seconds(Int64.max / 1_000_000_000) { return .max }
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000
    }
}
