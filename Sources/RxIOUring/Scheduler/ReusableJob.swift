import RxPrimitives
public import RxSwift

/// A piece of work that is handed to an event loop again and again, without an allocation: for a source that has something to
/// do now and then.
///
/// A value: its copies stand for the same work. The loop runs as long as there is one. When the last of them is gone, what was
/// posted still runs; then the work is released, on the loop.
public struct ReusableJob: Sendable {
    @usableFromInline let owner: Owner

    // Beside the owner, so that posting reads nothing of it.
    @usableFromInline nonisolated(unsafe) let job: RepeatedJob

    fileprivate init(_ body: @escaping () -> Void, jobs: LoopJobs) {
        job = RepeatedJob(on: jobs.loop.queue, body)
        owner = Owner(job, jobs: jobs)
    }

    /// Has the work run behind what was handed over before. Does nothing if it is waiting already; while it is running, it is
    /// run once more.
    ///
    /// From any thread. No allocation. After the loop's `shutdown()` each post is rejected, and
    /// reported to `Hooks.workRejectedHandler`.
    @inlinable
    public func post() {
        // Or the optimizer could let go of the owner, as nothing of it is used, and the loop of the job within the call.
        withExtendedLifetime(owner) { job.submit() }
    }

    @usableFromInline
    final class Owner: @unchecked Sendable {
        private let job: RepeatedJob

        /// Keeps the loop running while there is this job.
        private let jobs: LoopJobs

        /// Callers count references to this object, and the loop reads what comes behind it in memory.
        private let padding = CachePadding()

        init(_ job: RepeatedJob, jobs: LoopJobs) {
            self.job = job
            self.jobs = jobs
        }

        deinit { job.release() }
    }
}

extension IOUringScheduler {
    /// A piece of work to be handed to this loop again and again. From any thread.
    ///
    /// - Parameter body: the work, on the loop's thread.
    @preconcurrency
    public func makeJob(_ body: @escaping @Sendable () -> Void) -> ReusableJob {
        ReusableJob(body, jobs: jobs)
    }
}
