public import Dispatch

/// What the engine needs of a scheduler. Each scheduler adapts this one narrow protocol; hops, sources and timers use it.
@usableFromInline
package protocol JobScheduler: AnyObject {
    /// Hands a job over to be run soon. The job is in no queue.
    func submit(_ job: Job)

    /// The job is not wanted any more. It may still run when it is just being taken up.
    func unschedule(_ job: Job)

    /// The queue that all work of this scheduler shares, if it is serial. Nil if jobs may run at the same time.
    var runQueue: RunQueue? { get }

    /// How many steps a job may take per batch. 1 where each step is to have a batch (a tick of virtual time) of its own.
    var batchLimit: Int { get }

    /// Whether something waits behind the job that is running, so that a job of many small steps should go to the back.
    var hasWaitingJobs: Bool { get }
}

/// A scheduler that can wait.
@usableFromInline
package protocol TimedJobScheduler: JobScheduler {
    /// Hands a job over to be run when `delay` has passed. The job is in no queue and not waiting.
    func submit(_ job: Job, after delay: DispatchTimeInterval)

    /// The time of the clock that this scheduler's delays follow, in nanoseconds from an arbitrary start.
    var instant: Int64 { get }
}
