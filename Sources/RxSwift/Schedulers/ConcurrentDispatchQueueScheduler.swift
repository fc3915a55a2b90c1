// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import FoundationEssentials

/// Runs actions on a dispatch queue that may run several at the same time.
///
/// The events of one `observe(on:)` still come one at a time and in order. Delays are measured on a monotonic clock.
public class ConcurrentDispatchQueueScheduler: SchedulerType, @unchecked Sendable {
    /// The type of delays.
    public typealias TimeInterval = Double
    /// The type of times.
    public typealias Time = Date

    @usableFromInline let dispatchJobs: ConcurrentDispatchJobScheduler

    /// The wall clock, which delays do not follow.
    public var now: Date { Date() }

    /// Creates a scheduler on a given queue.
    ///
    /// - Parameters:
    ///   - queue: the queue on which the work runs.
    ///   - leeway: how much later than due a delayed action may run, to save wake-ups.
    public init(queue: DispatchQueue, leeway: DispatchTimeInterval = DispatchTimeInterval.nanoseconds(0)) {
        dispatchJobs = ConcurrentDispatchJobScheduler(queue: queue, leeway: leeway)
    }

    /// Creates a scheduler on a concurrent queue of its own.
    ///
    /// - Parameters:
    ///   - qos: the quality of service of the queue.
    ///   - leeway: how much later than due a delayed action may run, to save wake-ups.
    public convenience init(
        qos: DispatchQoS, leeway: DispatchTimeInterval = DispatchTimeInterval.nanoseconds(0)
    ) {
        self.init(
            queue: DispatchQueue(
                label: "rx.global_dispatch_queue.concurrent.\(qos)", qos: qos, attributes: .concurrent),
            leeway: leeway)
    }

    /// Schedules an action to be run soon.
    @preconcurrency
    public final func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ActionJob(UserAction(state, action), scheduler: dispatchJobs)
        dispatchJobs.submit(job)
        return job
    }

    /// Schedules an action to be run when `dueTime` has passed.
    @preconcurrency @inlinable
    public final func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ActionJob(UserAction(state, action), scheduler: dispatchJobs)
        dispatchJobs.submit(job, after: dueTime)
        return job
    }

    /// Schedules an action to be run again and again, one run at a time.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        PeriodicJob(state: state, startAfter: startAfter, period: period, action: action, scheduler: dispatchJobs)
    }
}

extension ConcurrentDispatchQueueScheduler: TimedJobSchedulerProviding {
    package var timedJobs: any TimedJobScheduler { dispatchJobs }
}
