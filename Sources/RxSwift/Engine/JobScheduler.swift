public import Dispatch

/// What the engine needs of a scheduler. Each scheduler adapts this one narrow protocol; hops, sources and timers use it.
@usableFromInline
package protocol JobScheduler: AnyObject {
    /// Hands a job over to be run soon. Jobs of a serial scheduler run in hand-over order, one at a time.
    func post(_ job: Job)

    /// Hands a job over to be run when `delay` has passed.
    func post(_ job: Job, after delay: DispatchTimeInterval)

    /// The job is not wanted any more. It may still run when it is just being taken up.
    func withdraw(_ job: Job)

    /// Whether this scheduler runs one job at a time.
    var isSerial: Bool { get }

    /// Whether the calling thread is running one of this scheduler's jobs.
    var isCurrent: Bool { get }

    /// How many steps a job may take per turn. 1 where each step is to have a turn (a tick of virtual time) of its own.
    var stepsPerTurn: Int { get }

    /// Whether something waits behind the job that is running, so that a job of many small steps should go to the back.
    var hasWaitingJobs: Bool { get }

    /// The time of the clock that this scheduler's delays follow, in nanoseconds from an arbitrary start.
    var instant: Int64 { get }
}
