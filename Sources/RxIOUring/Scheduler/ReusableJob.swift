import RxSwift

/// A piece of work that is handed to an event loop again and again, without an allocation: for a source that has something to
/// do now and then.
///
/// When nobody holds it any more, what was posted still runs; then its work is released, on the loop.
public final class ReusableJob {
    private let job: Unmanaged<RepeatedJob>
    private let queue: LoopTurnQueue

    /// Keeps the loop running while there is this job.
    private let jobs: LoopJobs

    fileprivate init(_ body: @escaping () -> Void, jobs: LoopJobs) {
        self.jobs = jobs
        queue = jobs.loop.queue
        job = RepeatedJob.make(body)
    }

    deinit {
        RepeatedJob.release(job, behind: queue)
    }

    /// Has the work run behind what was handed over before. Does nothing if it is waiting already; while it is running, it is
    /// run once more.
    ///
    /// From any thread. Costs some 20 ns on the loop.
    public func post() {
        job._withUnsafeGuaranteedRef { $0.post(to: queue) }
    }
}

extension IOUringScheduler {
    /// A piece of work to be handed to this loop again and again.
    ///
    /// - Parameter body: the work, on the loop's thread.
    @preconcurrency
    public func makeJob(_ body: @escaping @Sendable () -> Void) -> ReusableJob {
        ReusableJob(body, jobs: jobs)
    }
}
