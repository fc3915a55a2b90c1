// SPDX-License-Identifier: Apache-2.0

public import Dispatch

/// The operations that the engine needs of a scheduler.
///
/// Each scheduler adapts this one narrow protocol; hops, sources and timers use it.
@usableFromInline
package protocol JobScheduler: AnyObject {
    /// Submits a job to be run soon. The job is in no queue.
    func submit(_ job: Job)

    /// Unschedules a job, which is not wanted any more. The job may still run if the scheduler is just dequeueing it.
    func unschedule(_ job: Job)

    /// The queue that all work of this scheduler shares, if it is serial. Nil if jobs may run at the same time.
    var runQueue: RunQueue? { get }

    /// Makes the queue of one hop, if this scheduler is not serial.
    func makePrivateQueue() -> PrivateRunQueue

    /// Decides whether work may run where it is submitted, the same object at any time. Nil where it never may.
    var inlineGate: InlineGate? { get }

    /// The number of steps that a job may take per batch. It is 1 if each step needs a batch of its own, as a tick of virtual time does.
    var batchLimit: Int { get }

    /// True if other jobs wait for the running one, so that a job of many small steps should go to the back of the queue.
    var hasWaitingJobs: Bool { get }

    /// Hands on the error with which a stage fails whose waiting events this scheduler drops at its end: at once where the end has come to that, else
    /// soon, on another thread. A scheduler without an end does nothing.
    func tellOfLoss(_ body: @escaping (any Swift.Error) -> Void)
}

extension JobScheduler {
    @usableFromInline package func makePrivateQueue() -> PrivateRunQueue { PrivateRunQueue(scheduler: self) }
    @usableFromInline package var inlineGate: InlineGate? { nil }
    @usableFromInline package func tellOfLoss(_ body: @escaping (any Swift.Error) -> Void) {}
}

/// A scheduler that can also run jobs after a delay.
@usableFromInline
package protocol TimedJobScheduler: JobScheduler {
    /// Submits a job to be run when `delay` has passed. The job is in no queue and not waiting.
    func submit(_ job: Job, after delay: DispatchTimeInterval)

    /// Submits a job from within its run, to be run again when `nanoseconds` have passed.
    ///
    /// A job that is due already runs before the work submitted so far if the scheduler has a lane for timers; a new job without a delay
    /// runs after that work.
    func submitAgain(_ job: Job, after nanoseconds: Int64)

    /// The time of the clock that this scheduler's delays follow, in nanoseconds from an arbitrary start.
    var now: Int64 { get }

    /// True if each setting of a timer has to be an entry of its own, because the program sees the order of entries of one time.
    var isVirtual: Bool { get }
}

extension TimedJobScheduler {
    @usableFromInline package var isVirtual: Bool { false }

    @usableFromInline
    package func submitAgain(_ job: Job, after nanoseconds: Int64) {
        submit(job, after: .nanoseconds(Int(nanoseconds)))
    }
}
