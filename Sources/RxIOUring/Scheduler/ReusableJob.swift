// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
public import RxSwift

/// A piece of work that is submitted to an event loop again and again, without an allocation.
///
/// For a source that has something to do now and then. A value: its copies stand for the same work. The loop runs as long as
/// there is one. When the last of them is gone, posted work still runs; then the work is released, on the loop.
public struct ReusableJob: Sendable {
    @usableFromInline let owner: Owner

    // Beside the owner, so that posting reads nothing of it.
    @usableFromInline nonisolated(unsafe) let job: RepeatedJob

    fileprivate init(_ body: @escaping () -> Void, jobs: LoopJobScheduler) {
        job = RepeatedJob(on: jobs.loop.queue, body)
        owner = Owner(job, jobs: jobs)
    }

    /// Submits the work, which runs after the work submitted before.
    ///
    /// Does nothing if it is waiting already; while it is running, it is run once more. From any thread. No allocation. After the
    /// loop's `shutdown()` each post is rejected, and reported to `Hooks.workRejectedHandler`.
    @inlinable
    public func post() {
        // Otherwise the optimizer could release the owner, as nothing of it is used, and the loop of the job within the call.
        withExtendedLifetime(owner) { job.submit() }
    }

    @usableFromInline
    final class Owner: @unchecked Sendable {
        private let job: RepeatedJob

        /// Keeps the loop running while there is this job.
        private let jobs: LoopJobScheduler

        /// Callers count references to this object, and the loop reads the memory that follows it.
        private let padding = CachePadding()

        init(_ job: RepeatedJob, jobs: LoopJobScheduler) {
            self.job = job
            self.jobs = jobs
        }

        deinit { job.release() }
    }
}

extension IOUringScheduler {
    /// Creates a piece of work to be submitted to this loop again and again. From any thread.
    ///
    /// - Parameter body: the work, on the loop's thread.
    @preconcurrency
    public func makeJob(_ body: @escaping @Sendable () -> Void) -> ReusableJob {
        ReusableJob(body, jobs: jobs)
    }
}
