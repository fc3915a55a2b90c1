// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import FoundationEssentials

/// Runs actions one after another on a loop that the program already has: a `HostEventLoop`.
///
/// A serial scheduler like the others: all work submitted to one scheduler object (actions, events of `observe(on:)`) runs in the order of submission,
/// never inline. A burst costs the loop one body: its own work gets its turn between bursts, and after 512 steps or 200 microseconds.
/// Delays are measured on a monotonic clock and never end early; all timers share a timing wheel and few delayed bodies of the loop. Timers that
/// are due have batches of their own, so that they do not wait behind work that was submitted before they were due.
///
/// **The loop's end.** When the loop drops a body, all work that waits is rejected: it is released, and its disposable disposed of. So is
/// work that is submitted later, by the thread that submits it. Rejected work is reported to `Hooks.workRejectedHandler`. Hops and operators with a
/// timer (`observe(on:)`, `delay`, `buffer`, ...) fail with a `SchedulerEndedError` if an element waits in them or comes later, on a thread of
/// the runtime. A sequence that the loop was to begin (`subscribe(on:)`, `interval`) sends nothing more; its subscription lasts until it is disposed of.
///
/// **Lifetime.** The scheduler holds the loop. When the scheduler was released, submitted work still runs, timers too.
public final class HostEventLoopScheduler: SchedulerType, @unchecked Sendable {
    /// The type of delays.
    public typealias TimeInterval = Double
    /// The type of times.
    public typealias Time = Date

    @usableFromInline let hostJobs: HostJobScheduler

    /// Creates a scheduler on a loop. Several schedulers may share one; there is no order between the work of two of them.
    ///
    /// - Parameters:
    ///   - loop: the loop, which keeps the promises of `HostEventLoop`.
    ///   - name: the scheduler's name in reports.
    public init(_ loop: any HostEventLoop, name: String = "rx.host_loop") {
        hostJobs = HostJobScheduler(HostLoop(loop, name: name))
    }

    /// The name given to the initializer.
    public var name: String { hostJobs.host.name }

    /// True if the caller runs on the loop.
    public var isCurrent: Bool { hostJobs.host.loop.isCurrent }

    /// The wall clock, which delays do not follow.
    public var now: Date { Date() }

    /// Schedules an action, to run after the work submitted before.
    ///
    /// Costs one allocation where the state is an object, or plain (in no need of a release) and of a word at most, else two; the submission that
    /// finds the scheduler idle, one more. From any thread.
    @preconcurrency @inlinable
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ActionJob(UserAction(state, action), scheduler: hostJobs)
        hostJobs.submit(job)
        return job
    }

    /// Schedules an action to be submitted when `dueTime` has passed.
    ///
    /// From any thread. Arming and disposing take constant time.
    @preconcurrency @inlinable
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ActionJob(UserAction(state, action), scheduler: hostJobs)
        hostJobs.submit(job, after: dueTime)
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
        PeriodicJob(state: state, startAfter: startAfter, period: period, action: action, scheduler: hostJobs)
    }
}

extension HostEventLoopScheduler: TimedJobSchedulerProviding {
    package var timedJobs: any TimedJobScheduler { hostJobs }
}
