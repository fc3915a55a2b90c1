// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import FoundationEssentials

/// Runs actions one after another, in the order in which they were submitted, on a dispatch queue.
///
/// All work submitted to one scheduler object (actions, events of `observe(on:)`) keeps its order. A burst costs one
/// `DispatchQueue.async`: other users of the queue get their turn between bursts, and every 512 steps. (Where the queue is a target of the scheduler's
/// own one, Dispatch decides when that is, and lets a busy queue go on.) Delays are measured on a
/// monotonic clock, and run on one kernel timer for the whole scheduler.
public class SerialDispatchQueueScheduler: SchedulerType, @unchecked Sendable {
    /// The type of delays.
    public typealias TimeInterval = Double
    /// The type of times.
    public typealias Time = Date

    @usableFromInline let dispatchJobs: SerialDispatchJobScheduler

    /// The wall clock, which delays do not follow.
    public var now: Date { replacement?.scheduler.now ?? Date() }

    /// The scheduler that does the work in place of this one: that of a test, which has replaced the main scheduler.
    @usableFromInline let replacement: SchedulerReplacement?

    init(jobs: SerialDispatchJobScheduler, replacement: SchedulerReplacement? = nil) {
        dispatchJobs = jobs
        self.replacement = replacement
    }

    /// Creates a scheduler on a serial queue of its own.
    ///
    /// - Parameters:
    ///   - internalSerialQueueName: the label of the queue.
    ///   - serialQueueConfiguration: receives the queue before its first use.
    ///   - leeway: how much later than due a delayed action may run, to save wake-ups.
    public convenience init(
        internalSerialQueueName: String, serialQueueConfiguration: ((DispatchQueue) -> Void)? = nil,
        leeway: DispatchTimeInterval = DispatchTimeInterval.nanoseconds(0)
    ) {
        let queue = DispatchQueue(label: internalSerialQueueName, attributes: [])
        serialQueueConfiguration?(queue)
        self.init(jobs: SerialDispatchJobScheduler(queue: queue, leeway: leeway))
    }

    /// Creates a scheduler on a serial queue of its own, whose work runs on `queue`.
    ///
    /// - Parameters:
    ///   - queue: the target queue; it may be concurrent.
    ///   - internalSerialQueueName: the label of the scheduler's own queue.
    ///   - leeway: how much later than due a delayed action may run, to save wake-ups.
    public convenience init(
        queue: DispatchQueue, internalSerialQueueName: String,
        leeway: DispatchTimeInterval = DispatchTimeInterval.nanoseconds(0)
    ) {
        let serialQueue = DispatchQueue(label: internalSerialQueueName, attributes: [], target: queue)
        self.init(jobs: SerialDispatchJobScheduler(queue: serialQueue, leeway: leeway))
    }

    /// Creates a scheduler on a serial queue of its own, whose work runs on the global queue of a quality of service.
    ///
    /// - Parameters:
    ///   - qos: the quality of service.
    ///   - internalSerialQueueName: the label of the scheduler's own queue.
    ///   - leeway: how much later than due a delayed action may run, to save wake-ups.
    public convenience init(
        qos: DispatchQoS, internalSerialQueueName: String = "rx.global_dispatch_queue.serial",
        leeway: DispatchTimeInterval = DispatchTimeInterval.nanoseconds(0)
    ) {
        self.init(
            queue: DispatchQueue.global(qos: qos.qosClass), internalSerialQueueName: internalSerialQueueName,
            leeway: leeway)
    }

    /// Schedules an action, to run after the work submitted before.
    @preconcurrency
    public final func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleAction(state, action)
    }

    /// Does the work of `schedule`, for subclasses that do it differently.
    func scheduleAction<StateType>(
        _ state: StateType, _ action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        if let replacement { return replacement.scheduler.schedule(state, action: action) }
        let job = ActionJob(UserAction(state, action), scheduler: dispatchJobs)
        dispatchJobs.submit(job)
        return job
    }

    /// Schedules an action to be submitted when `dueTime` has passed.
    @preconcurrency @inlinable
    public final func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        if let replacement {
            return replacement.scheduler.scheduleRelative(state, dueTime: dueTime, action: action)
        }
        let job = ActionJob(UserAction(state, action), scheduler: dispatchJobs)
        dispatchJobs.submit(job, after: dueTime)
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
        if let replacement {
            return replacement.scheduler.schedulePeriodic(
                state, startAfter: startAfter, period: period, action: action)
        }
        return PeriodicJob(
            state: state, startAfter: startAfter, period: period, action: action, scheduler: dispatchJobs)
    }
}

extension SerialDispatchQueueScheduler: TimedJobSchedulerProviding {
    package var timedJobs: any TimedJobScheduler { replacement == nil ? dispatchJobs : replacingJobs }

    @inline(never)
    private var replacingJobs: any TimedJobScheduler {
        replacement.map { timedJobScheduler(for: $0.scheduler) } ?? dispatchJobs
    }
}

/// A scheduler that does the work of another one.
///
/// An object, so that a scheduler without one pays the comparison of a word.
@usableFromInline
final class SchedulerReplacement: Sendable {
    @usableFromInline let scheduler: any SchedulerType

    init(_ scheduler: any SchedulerType) { self.scheduler = scheduler }
}
