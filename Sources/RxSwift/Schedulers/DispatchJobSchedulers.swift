// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives

/// Runs jobs one at a time, in order of submission, on a serial dispatch queue: the engine behind the serial dispatch schedulers.
@usableFromInline
final class SerialDispatchJobScheduler: TimedJobScheduler {
    let jobs: DispatchRunQueue
    @usableFromInline let inlineGate: InlineGate?
    private let leeway: DispatchTimeInterval
    private let timersIfNeeded = SchedulerTimersIfNeeded()

    /// - Parameters:
    ///   - queue: a serial queue.
    ///   - leeway: how much later than due a delayed job may be submitted.
    init(queue: DispatchQueue, leeway: DispatchTimeInterval) {
        jobs = DispatchRunQueue(queue: queue)
        inlineGate = nil
        self.leeway = leeway
    }

    /// Creates a scheduler of the main queue. Its work keeps its order with that of all others.
    ///
    /// - Parameter gate: decides whether work may run right where it is submitted; nil if it never may.
    init(onMain gate: InlineGate?) {
        jobs = .main
        inlineGate = gate
        leeway = .nanoseconds(0)
    }

    @usableFromInline
    func submit(_ job: Job) {
        // Also without a gate: a job that the timers continue here may have been counted by another scheduler before.
        if job.gate !== inlineGate { job.gate = inlineGate }
        inlineGate?.jobBegins()
        jobs.submit(job)
    }

    @usableFromInline
    func submit(_ job: Job, after delay: DispatchTimeInterval) {
        _ = timers._withUnsafeGuaranteedRef { $0.arm(job, after: delay) }
    }

    @usableFromInline
    func unschedule(_ job: Job) {
        let timers = inlineGate != nil ? SerialDispatchJobScheduler.mainTimers : timersIfNeeded.ifMade
        timers?._withUnsafeGuaranteedRef { $0.unschedule(job) }
    }

    @usableFromInline
    var runQueue: RunQueue? { jobs }

    @usableFromInline
    var batchLimit: Int { jobs.batchLimit }

    @usableFromInline
    var hasWaitingJobs: Bool { jobs.hasWaitingJobs }

    @usableFromInline
    var now: Int64 { Int64(MonotonicClock.now()) }

    /// The timers of all schedulers that run work inline on the main queue.
    ///
    /// They run jobs there beside the batches, as the main queue reaches them: work that a delayed job submits may run inline.
    private static let mainTimers: Unmanaged<SchedulerTimers> = {
        let continued = SerialDispatchJobScheduler(onMain: nil)
        return .passRetained(
            SchedulerTimers(alarm: DispatchAlarm(queue: .main, leeway: .nanoseconds(0))) {
                $0.runToItsEnd(on: continued)
            })
    }()

    private var timers: Unmanaged<SchedulerTimers> {
        if inlineGate != nil { return SerialDispatchJobScheduler.mainTimers }
        return timersIfNeeded.timers {
            // The wheel expires on the queue, but submits each job as any other thread does, so that the order of submission holds.
            SchedulerTimers(alarm: DispatchAlarm(queue: jobs.queue, leeway: leeway)) { [jobs] in jobs.submit($0) }
        }
    }
}

/// A run queue whose batches run on a serial dispatch queue.
package final class DispatchRunQueue: RunQueue {
    let queue: DispatchQueue

    /// The queue of all schedulers of the main queue.
    static let main = DispatchRunQueue(queue: .main)

    /// A block that libdispatch copies for each wake-up: all wake-ups share one, so that they allocate nothing.
    ///
    /// The first wake-up makes it, as many schedulers of the main queue never need one.
    ///
    /// Not a `DispatchWorkItem`, which must not be submitted again before libdispatch has returned from its last run: the end of a
    /// run gives up a reference to the queue that the next submission has taken. It also counts its runs in 32 bits. To submit a
    /// plain block changes nothing in the block but the count of its references, by one for each submission under way.
    @exclusivity(unchecked) package private(set) var block: (@Sendable @convention(block) () -> Void)?

    package init(queue: DispatchQueue) {
        self.queue = queue
        super.init(batchLimit: 512)
    }

    /// Enqueues a batch on the dispatch queue.
    ///
    /// Called by one thread at a time, each of which has seen the effects of the one before: it took over the state of the queue from
    /// it.
    package override func wake() {
        // The run of the block releases this reference.
        _ = Unmanaged.passRetained(self)
        queue.async(execute: block ?? makeBlock())
    }

    private func makeBlock() -> @Sendable @convention(block) () -> Void {
        nonisolated(unsafe) let this = Unmanaged.passUnretained(self)
        let made: @Sendable @convention(block) () -> Void = { this.takeRetainedValue().drainBatch() }
        block = made
        return made
    }

    package override func nameIfHeldByCaller(mainQueueRuns: Bool) -> String? {
        if mainQueueRuns || MainScheduler.isRunningInline, MainQueue.isMain(queue) { return nil }
        // Each call sets a mark of its own: a dispatch queue tells whether it is the current one, or a target of that, only by a
        // value that was set on it.
        let mark = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: mark, value: true)
        defer { queue.setSpecific(key: mark, value: nil) }
        return DispatchQueue.getSpecific(key: mark) == true ? queue.label : nil
    }
}

/// Runs jobs, several at the same time, on a concurrent dispatch queue.
@usableFromInline
final class ConcurrentDispatchJobScheduler: TimedJobScheduler {
    private let queue: DispatchQueue
    private let leeway: DispatchTimeInterval
    private let timersIfNeeded = SchedulerTimersIfNeeded()

    init(queue: DispatchQueue, leeway: DispatchTimeInterval) {
        self.queue = queue
        self.leeway = leeway
    }

    @usableFromInline
    func submit(_ job: Job) {
        queue.async { job.runToItsEnd(on: self) }
    }

    @usableFromInline
    func submit(_ job: Job, after delay: DispatchTimeInterval) {
        _ = timers._withUnsafeGuaranteedRef { $0.arm(job, after: delay) }
    }

    @usableFromInline
    func unschedule(_ job: Job) {
        timersIfNeeded.ifMade?._withUnsafeGuaranteedRef { $0.unschedule(job) }
    }

    @usableFromInline
    var runQueue: RunQueue? { nil }

    @usableFromInline
    var batchLimit: Int { 512 }

    @usableFromInline
    var hasWaitingJobs: Bool { false }

    @usableFromInline
    var now: Int64 { Int64(MonotonicClock.now()) }

    private var timers: Unmanaged<SchedulerTimers> {
        timersIfNeeded.timers {
            SchedulerTimers(alarm: DispatchAlarm(queue: queue, leeway: leeway)) { [unowned self] in submit($0) }
        }
    }
}

extension Job {
    /// Runs one batch of this job, and submits it again if it wants to run on.
    package func runToItsEnd(on scheduler: any JobScheduler) {
        var budget = scheduler.batchLimit
        if !run(&budget) { scheduler.submit(self) }
    }
}

extension MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// True for the main queue: on Linux two references to it may be two objects.
    static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: key) == true }
}
