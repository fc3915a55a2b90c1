// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import FoundationEssentials
import RxPrimitives

/// Runs actions on an actor, one after another, in the order in which they were submitted: `observe(on: ActorScheduler(self))`.
///
/// Observers on it may use the actor's state through `assumeIsolated`. A burst of events costs one hop to the actor, which runs other work
/// of its own between bursts and every 512 steps. Delays are measured on a monotonic clock.
///
/// The scheduler does not keep the actor alive, only work that was submitted does. Work that is submitted when the actor is gone runs on the
/// global executor.
public final class ActorScheduler: SchedulerType, TimedJobSchedulerProviding, @unchecked Sendable {
    private let actorJobs: ActorJobScheduler

    package var timedJobs: any TimedJobScheduler { actorJobs }

    /// The wall clock, which delays do not follow.
    public var now: Date { Date() }

    /// Creates a scheduler that runs its actions on an actor.
    ///
    /// - Parameter actor: the actor on which actions run.
    public init(_ actor: any Actor) { actorJobs = ActorJobScheduler(ActorRunQueue(actor)) }

    /// Schedules an action, to run after the work submitted before. Never runs it at once, also not on the actor.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ActionJob(UserAction(state, action), scheduler: actorJobs)
        actorJobs.submit(job)
        return job
    }

    /// Schedules an action to be submitted when `dueTime` has passed.
    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ActionJob(UserAction(state, action), scheduler: actorJobs)
        actorJobs.submit(job, after: dueTime)
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
        PeriodicJob(state: state, startAfter: startAfter, period: period, action: action, scheduler: actorJobs)
    }
}

/// The engine behind `ActorScheduler`.
private final class ActorJobScheduler: TimedJobScheduler {
    private let jobs: ActorRunQueue
    private let timersIfNeeded = SchedulerTimersIfNeeded()

    init(_ jobs: ActorRunQueue) { self.jobs = jobs }

    func submit(_ job: Job) { jobs.submit(job) }

    func submit(_ job: Job, after delay: DispatchTimeInterval) {
        let timers = timersIfNeeded.timers {
            let queue = DispatchQueue(label: "rx.actor.timers", target: .global())
            let alarm = DispatchAlarm(queue: queue, leeway: .nanoseconds(0))
            return SchedulerTimers(alarm: alarm) { [jobs] in jobs.submit($0) }
        }
        _ = timers._withUnsafeGuaranteedRef { $0.arm(job, after: delay) }
    }

    func unschedule(_ job: Job) { timersIfNeeded.ifMade?._withUnsafeGuaranteedRef { $0.unschedule(job) } }

    var runQueue: RunQueue? { jobs }

    var batchLimit: Int { jobs.batchLimit }

    var hasWaitingJobs: Bool { jobs.hasWaitingJobs }

    var now: Int64 { Int64(MonotonicClock.now()) }
}

/// A run queue whose batches run on an actor.
private final class ActorRunQueue: RunQueue, @unchecked Sendable {
    private weak let actor: (any Actor)?

    init(_ actor: any Actor) {
        self.actor = actor
        super.init(batchLimit: 512)
    }

    override func wake() {
        // The task keeps the actor alive until the batch has run.
        Task.detached { [actor, self] in
            if let actor { await drain(on: actor) } else { drainBatch() }
        }
    }

    private func drain(on actor: isolated any Actor) { drainBatch() }
}
