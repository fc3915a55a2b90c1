// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives

/// The handle that all schedulers of one pool hold, at any priority.
///
/// When the last reference to it is released, no more work can come.
final class PoolHandle {
    let pool: WorkerPool
    private let timersIfNeeded = SchedulerTimersIfNeeded()

    init(pool: WorkerPool) { self.pool = pool }

    deinit {
        // This lets the submitted work run, and the threads end. It does not wait, as the calling thread may be one of them.
        pool.shutdown()
    }

    func shutdown() {
        // Before the next line, so that no timer is made after that line has looked for timers.
        pool.shutdown()
        let dropped = timers._withUnsafeGuaranteedRef { $0.stop() }
        if dropped > 0 { Hooks.workRejectedHandler(pool.name, dropped) }
        pool.waitForEnd()
    }

    /// The timers of the pool. They are made also just to be stopped: a timer may be about to be armed.
    var timers: Unmanaged<SchedulerTimers> {
        timersIfNeeded.timers {
            SchedulerTimers(alarm: DispatchAlarm(queue: .global(qos: .userInitiated), leeway: .nanoseconds(0))) { job in
                // The ticket is a `PoolJobScheduler`: all jobs of these timers were armed by one.
                let scheduler = job.ticket.map { unsafeDowncast($0, to: PoolJobScheduler.self) }
                job.ticket = nil
                scheduler?.submit(job)
            }
        }
    }

    var timersIfMade: Unmanaged<SchedulerTimers>? { timersIfNeeded.ifMade }
}

/// The right to suspend a pool, which all its schedulers share. When the last of them is gone, the pool is resumed.
///
/// Jobs that wait in a suspended pool refer to its handle, which therefore would never end.
final class PoolSuspension {
    let handle: PoolHandle

    init(of handle: PoolHandle) { self.handle = handle }

    deinit { end() }

    func begin() { handle.pool.suspend() }

    func end() { handle.pool.resume() }
}

/// Runs jobs at one level of a pool: the engine behind `BoundedPoolScheduler`.
@usableFromInline
final class PoolJobScheduler: TimedJobScheduler {
    let handle: PoolHandle
    let level: Int
    /// The handle's pool, without counting a reference: the count would go back and forth between the submitters and the workers.
    private let pool: Unmanaged<WorkerPool>

    init(handle: PoolHandle, level: Int) {
        self.handle = handle
        self.level = level
        pool = .passUnretained(handle.pool)
    }

    @usableFromInline
    func submit(_ job: Job) { pool._withUnsafeGuaranteedRef { $0.submit(job, level: level) } }

    @usableFromInline
    func schedule(_ action: consuming UserAction) -> any Disposable {
        let scheduled = ScheduledAction(action)
        submit(scheduled)
        return scheduled
    }

    @usableFromInline
    func submit(_ job: Job, after delay: DispatchTimeInterval) {
        // The ticket tells the level when the job's time has come, and keeps the pool until then.
        job.ticket = self
        if !handle.timers._withUnsafeGuaranteedRef({ $0.arm(job, after: delay) }) { handle.pool.reject(job) }
    }

    @usableFromInline
    func unschedule(_ job: Job) {
        handle.timersIfMade?._withUnsafeGuaranteedRef { $0.unschedule(job) }
    }

    @usableFromInline
    func tellOfLoss(_ body: @escaping (any Swift.Error) -> Void) {
        LossDelivery.submit(schedulerName: handle.pool.name, body)
    }

    @usableFromInline
    var runQueue: RunQueue? { nil }

    @usableFromInline
    var batchLimit: Int { 512 }

    @usableFromInline
    var hasWaitingJobs: Bool { false }

    @usableFromInline
    var now: Int64 { Int64(MonotonicClock.now()) }
}
