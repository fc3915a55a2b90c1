import RxPrimitives

/// A closure that is run by an event loop each time this job is posted; being posted while it waits changes nothing.
///
/// Posting counts no reference: the queue borrows the one that was made with the job. So its owner must not let go of the job
/// before all that was posted has run: see `release`.
@frozen
@usableFromInline
package struct RepeatedJob {
    /// Kept alive by the owner.
    @usableFromInline let queue: Unmanaged<LoopTurnQueue>
    @usableFromInline let job: Unmanaged<PostedJob>

    /// A job that is there until `release`.
    package init(on queue: LoopTurnQueue, _ body: @escaping () -> Void) {
        self.queue = .passUnretained(queue)
        job = .passRetained(PostedJob(body))
    }

    /// Does nothing if the job waits in the queue already. From any thread.
    @usableFromInline
    package func post() {
        queue._withUnsafeGuaranteedRef { queue in
            let waits = job._withUnsafeGuaranteedRef { $0.setWaiting(queue.waitingMark) }
            if !waits { queue.post(retained: .fromOpaque(job.toOpaque())) }
        }
    }

    /// Lets go of a job that is not posted any more, when what was posted has run.
    package func release() {
        queue._withUnsafeGuaranteedRef { $0.post(Release(job)) }
    }

    /// What the queue holds.
    @usableFromInline
    final class PostedJob: Job {
        // First what both threads write, so that it lies beside the queue's link: one line that goes back and forth instead of
        // two.
        /// The queue's mark while the job is in it, else 0. Set by who posts it, cleared by the loop before the body runs.
        private let waiting = AtomicWord(0)

        private let body: () -> Void

        /// Behind it lies the owner, whose references callers count.
        private let padding = CacheLinePadding()

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

        /// Each time it is posted anew that is reported anew.
        override func wasRefused() -> Bool {
            _ = waiting.exchange(0)
            // The queue lets go of what it refuses: this is the owner's reference again.
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

        override func wasRefused() -> Bool {
            job.release()
            return false
        }
    }
}
