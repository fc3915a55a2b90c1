import RxPrimitives

/// A closure that is run by an event loop each time this job is submitted; being submitted while it waits changes nothing.
///
/// Posting counts no reference: the queue borrows the one that was made with the job. So its owner must not let go of the job
/// before all that was submitted has run: see `release`.
@frozen
@usableFromInline
package struct RepeatedJob {
    /// Kept alive by the owner.
    @usableFromInline let queue: Unmanaged<LoopRunQueue>
    @usableFromInline let job: Unmanaged<PostedJob>

    /// A job that is there until `release`.
    package init(on queue: LoopRunQueue, _ body: @escaping () -> Void) {
        self.queue = .passUnretained(queue)
        job = .passRetained(PostedJob(body))
    }

    /// Does nothing if the job waits in the queue already. From any thread.
    @usableFromInline
    package func submit() {
        queue._withUnsafeGuaranteedRef { queue in
            let waits = job._withUnsafeGuaranteedRef { $0.setWaiting(queue.waitingTag) }
            if !waits { queue.submit(retained: .fromOpaque(job.toOpaque())) }
        }
    }

    /// Lets go of a job that is not submitted any more, when what was submitted has run.
    package func release() {
        queue._withUnsafeGuaranteedRef { $0.submit(Release(job)) }
    }

    /// What the queue holds.
    @usableFromInline
    final class PostedJob: Job {
        // First what both threads write, so that it lies beside the queue's link: one line that goes back and forth instead of
        // two.
        /// The queue's mark while the job is in it, else 0. Set by who submits it, cleared by the loop before the body runs.
        private let waiting = AtomicWord(0)

        private let body: () -> Void

        /// Behind it lies the owner, whose references callers count.
        private let padding = CachePadding()

        init(_ body: @escaping () -> Void) {
            self.body = body
            super.init()
        }

        /// Returns whether the job waits already.
        func setWaiting(_ mark: UInt) -> Bool {
            // Releasing: paired with the exchange in `run`, so that the body sees what was done before.
            waiting.exchange(mark) == mark
        }

        override func run(_ budget: inout Int) -> Bool {
            // Acquiring: paired with each exchange in `setWaiting`.
            _ = waiting.exchange(0)
            body()
            return true
        }

        /// Each time it is submitted anew that is reported anew.
        override func wasRejected() -> Bool {
            _ = waiting.exchange(0)
            // The queue lets go of what it rejects: this is the owner's reference again.
            _ = Unmanaged.passUnretained(self).retain()
            return true
        }
    }

    private final class Release: Job {
        private let job: Unmanaged<PostedJob>

        init(_ job: Unmanaged<PostedJob>) { self.job = job }

        override func run(_ budget: inout Int) -> Bool {
            job.release()
            return true
        }

        override func wasRejected() -> Bool {
            job.release()
            return false
        }
    }
}
