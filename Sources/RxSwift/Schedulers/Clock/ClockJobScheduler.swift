// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives

/// Runs jobs one at a time on a dispatch queue of its own, delayed ones when a task has slept on a clock.
final class ClockJobScheduler<ClockType: Clock>: TimedJobScheduler, @unchecked Sendable
where ClockType.Duration == Duration {
    private let clock: ClockType
    private let start: ClockType.Instant
    private let jobs = SerialDispatchJobScheduler(
        queue: DispatchQueue(label: "rx.clock", target: .global()), leeway: .nanoseconds(0))
    /// Protects the tickets of jobs.
    private let lock = Mutex()

    /// 73 years: added to the time of a clock that counts nanoseconds in 64 bits, it does not overflow.
    private static var longest: Int64 { 1 << 61 }

    init(_ clock: ClockType) {
        self.clock = clock
        start = clock.now
    }

    func submit(_ job: Job) { jobs.submit(job) }

    var runQueue: RunQueue? { jobs.runQueue }

    var batchLimit: Int { jobs.batchLimit }

    var hasWaitingJobs: Bool { jobs.hasWaitingJobs }

    var now: Int64 { start.duration(to: clock.now).nanosecondsClamped }

    func submit(_ job: Job, after delay: DispatchTimeInterval) {
        let nanoseconds = min(delay.nanosecondsClamped, ClockJobScheduler.longest)
        let deadline = clock.now.advanced(by: .nanoseconds(nanoseconds))
        let sleep = Sleep(job)
        lock.withLock { job.ticket = sleep }
        // Holds the job by way of `sleep`, which releases it as soon as it is unscheduled: a clock may take no notice of the cancellation.
        let task = Task.detached { [self, clock] in
            do {
                try await clock.sleep(until: deadline, tolerance: nil)
                if let job = takeJob(of: sleep) { jobs.submit(job) }
            } catch {
                // Unless the job was unscheduled, the clock has failed.
                if let job = takeJob(of: sleep), job.wasRejected() { Hooks.workRejectedHandler("ClockScheduler", 1) }
            }
        }
        let isUnscheduled = lock.withLock {
            sleep.task = task
            return sleep.job == nil
        }
        if isUnscheduled { task.cancel() }
    }

    func unschedule(_ job: Job) {
        let sleep = lock.withLock {
            let sleep = job.ticket as? Sleep
            job.ticket = nil
            sleep?.job = nil
            return sleep
        }
        // Set before, or cancelled by the thread that sets it.
        sleep.flatMap { sleep in lock.withLock { sleep.task } }?.cancel()
    }

    /// Ends a sleep. Returns nil if its job has been unscheduled.
    private func takeJob(of sleep: Sleep) -> Job? {
        lock.withLock {
            let job = sleep.job.take()
            job?.ticket = nil
            return job
        }
    }

    /// The wait of one job. Its fields are protected by the lock.
    private final class Sleep: @unchecked Sendable {
        var task: Task<Void, Never>?
        /// Nil once the job was submitted, or unscheduled.
        var job: Job?

        init(_ job: Job) { self.job = job }
    }
}
