// SPDX-License-Identifier: Apache-2.0

public import Dispatch
import RxPrimitives

/// Runs jobs on the loop of a host: the engine behind `HostEventLoopScheduler`.
///
/// Submitted jobs and due timers have a run queue each, like the lanes of an event loop of this library: a timer does not wait behind all
/// jobs that were submitted before.
@usableFromInline
final class HostJobScheduler: TimedJobScheduler {
    let host: HostLoop
    let jobs: HostRunQueue
    private let timersIfNeeded = SchedulerTimersIfNeeded()

    init(_ host: HostLoop) {
        self.host = host
        jobs = HostRunQueue(host)
    }

    @usableFromInline
    func submit(_ job: Job) {
        // The jobs of a hop go to the queue, which rejects them one at a time; all others need not wait for that.
        if !host.rejects(job) { jobs.submit(job) }
    }

    @usableFromInline
    func submit(_ job: Job, after delay: DispatchTimeInterval) {
        // Work that is due already keeps the order of submission (law L4).
        if delay.nanosecondsClamped <= 0 { submit(job) } else { arm(job, after: delay) }
    }

    @usableFromInline
    func submitAgain(_ job: Job, after nanoseconds: Int64) { arm(job, after: .nanoseconds(Int(max(0, nanoseconds)))) }

    private func arm(_ job: Job, after delay: DispatchTimeInterval) {
        if host.rejects(job) { return }
        // The timers take no job if the loop has ended meanwhile.
        if !timers._withUnsafeGuaranteedRef({ $0.arm(job, after: delay) }) { submit(job) }
    }

    @usableFromInline
    func unschedule(_ job: Job) {
        timersIfNeeded.ifMade?._withUnsafeGuaranteedRef { $0.unschedule(job) }
    }

    @usableFromInline
    func tellOfLoss(_ body: @escaping (any Swift.Error) -> Void) {
        LossDelivery.submit(schedulerName: host.name, body)
    }

    @usableFromInline
    var runQueue: RunQueue? { jobs }

    @usableFromInline
    var batchLimit: Int { jobs.batchLimit }

    @usableFromInline
    var hasWaitingJobs: Bool { jobs.hasWaitingJobs }

    @usableFromInline
    var now: Int64 { Int64(MonotonicClock.now()) }

    private var timers: Unmanaged<SchedulerTimers> {
        timersIfNeeded.timers {
            let due = HostRunQueue(host)
            return SchedulerTimers(alarm: HostAlarm(host, due: due)) { due.submit($0) }
        }
    }
}
