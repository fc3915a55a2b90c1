// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FoundationEssentials
import RxPrimitives

/// Adapts a user's own scheduler, or one of virtual time, to the engine: every step is one scheduled action.
class CustomSchedulerAdapter: JobScheduler {
    private let scheduler: any ImmediateSchedulerType
    fileprivate let lock = Mutex()

    init(_ scheduler: any ImmediateSchedulerType) {
        self.scheduler = scheduler
    }

    final func submit(_ job: Job) {
        arrange(job) { scheduler.schedule(job, action: $0) }
    }

    final func unschedule(_ job: Job) {
        var ticket: AnyObject?
        // Under the lock, as `unschedule` may come while another thread is submitting the job anew.
        lock.withLock { swap(&ticket, &job.ticket) }
        (ticket as? SingleAssignmentDisposable)?.dispose()
    }

    /// Takes the ticket of a job whose action runs. Returns false if the job was unscheduled, or has run: a user's scheduler may run an action twice.
    private func take(_ ticket: SingleAssignmentDisposable, of job: Job) -> Bool {
        lock.withLock {
            guard job.ticket === ticket else { return false }
            job.ticket = nil
            return true
        }
    }

    final var runQueue: RunQueue? { nil }

    final var batchLimit: Int { 1 }

    /// Always true: a job that steps through a sequence schedules each step.
    final var hasWaitingJobs: Bool { true }

    fileprivate final func arrange(
        _ job: Job, _ schedule: (@escaping @Sendable (Job) -> any Disposable) -> any Disposable
    ) {
        let ticket = SingleAssignmentDisposable()
        var old: AnyObject? = ticket
        lock.withLock { swap(&old, &job.ticket) }
        let disposable = schedule { job in
            guard self.take(ticket, of: job) else { return Disposables.create() }
            if !job.isCancelled { job.runToItsEnd(on: self) }
            // The ticket may hold this action, and with it the job. It is disposed of behind the action: the scheduler may count what is left.
            ticket.dispose()
            return Disposables.create()
        }
        ticket.setDisposable(disposable)
    }
}

/// Adapts a scheduler that can also wait. Its clock is the scheduler's `now`, from the first time on that it is asked: a virtual clock may show any date.
final class CustomTimedSchedulerAdapter: CustomSchedulerAdapter, TimedJobScheduler {
    let timedScheduler: any SchedulerType
    /// The first time. Protected by the lock.
    private var start: RxTime?

    init(timed scheduler: any SchedulerType) {
        timedScheduler = scheduler
        super.init(scheduler)
    }

    func submit(_ job: Job, after delay: DispatchTimeInterval) {
        arrange(job) { timedScheduler.scheduleRelative(job, dueTime: delay, action: $0) }
    }

    var isVirtual: Bool { true }

    var now: Int64 {
        let now = timedScheduler.now
        let start = lock.withLock {
            let start = self.start ?? now
            self.start = start
            return start
        }
        return Int64(nanosecondsOf: now.timeIntervalSince(start))
    }
}
