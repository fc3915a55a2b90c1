// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A closure that an event loop runs each time this job is submitted. Submitting the job while it waits has no effect.
///
/// Submitting counts no reference: the queue borrows the reference that was made with the job. So the owner must not release the job
/// before all its submissions have run: see `release`.
@frozen
@usableFromInline
package struct RepeatedJob {
    /// The queue, which the owner keeps alive.
    @usableFromInline let queue: Unmanaged<LoopRunQueue>
    @usableFromInline let job: Unmanaged<QueuedJob>

    /// Creates a job that exists until `release`.
    package init(on queue: LoopRunQueue, _ body: @escaping () -> Void) {
        self.queue = .passUnretained(queue)
        job = .passRetained(QueuedJob(body))
    }

    /// Submits the job, unless it waits in the queue already. Any thread may call it.
    @usableFromInline
    package func submit() {
        queue._withUnsafeGuaranteedRef { queue in
            let waits = job._withUnsafeGuaranteedRef { $0.setWaiting(queue.waitingTag) }
            if waits { return }
            // The rejection retains the job for a queue that will release it: here, none does.
            if job._withUnsafeGuaranteedRef({ queue.rejects($0) }) { return job.release() }
            queue.submit(retained: .fromOpaque(job.toOpaque()))
        }
    }

    /// Releases the job when its submissions have run. The owner submits it no more.
    package func release() {
        queue._withUnsafeGuaranteedRef { $0.submit(Release(job)) }
    }

    /// The job that the queue holds.
    @usableFromInline
    final class QueuedJob: Job {
        // First comes the word that both threads write, so that it lies beside the queue's link: one cache line goes back and forth
        // instead of two.
        /// The queue's `waitingTag` while the job is in the queue, else 0. The submitter sets it, and the loop thread clears it
        /// before the body runs.
        private let waiting = AtomicWord(0)

        private let body: () -> Void

        /// Separates the fields above from the owner, which is stored after them and whose references callers count.
        private let padding = CachePadding()

        init(_ body: @escaping () -> Void) {
            self.body = body
            super.init()
        }

        /// Stores `tag`, the queue's `waitingTag`, while the job waits. Returns true if the job waited already.
        func setWaiting(_ tag: UInt) -> Bool {
            // Releasing: paired with the exchange in `run`, so that the body sees what was done before.
            waiting.exchange(tag) == tag
        }

        override func run(_ budget: inout Int) -> Bool {
            // Acquiring: paired with each exchange in `setWaiting`.
            _ = waiting.exchange(0)
            body()
            return true
        }

        /// Returns true each time, so that each rejected submission is reported.
        override func wasRejected() -> Bool {
            // The queue releases a job that it rejects; this retain restores the owner's reference.
            _ = Unmanaged.passUnretained(self).retain()
            _ = waiting.exchange(0)
            return true
        }
    }

    private final class Release: Job {
        private let job: Unmanaged<QueuedJob>

        init(_ job: Unmanaged<QueuedJob>) { self.job = job }

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
