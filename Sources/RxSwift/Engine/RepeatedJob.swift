import RxPrimitives

/// A closure that is run by an event loop each time this job is posted; being posted while it waits changes nothing.
///
/// Posting counts no reference: the queue borrows the one that was made with the job. So its owner must not let go of the job
/// before all that was posted has run: see `release`.
package final class RepeatedJob: Job {
    // First what both threads write, so that it lies beside the queue's link: one line that goes back and forth instead of two.
    /// The queue's mark while the job is in it, else 0. Set by who posts it, cleared by the scheduler before the body runs.
    private let waiting = AtomicWord(0)

    private let body: () -> Void

    private init(_ body: @escaping () -> Void) {
        self.body = body
        super.init()
    }

    /// A job that is there until `release`.
    package static func make(_ body: @escaping () -> Void) -> Unmanaged<RepeatedJob> {
        .passRetained(RepeatedJob(body))
    }

    /// Does nothing if the job waits in the queue already.
    package func post(to queue: LoopTurnQueue) {
        let mark = queue.waitingMark
        // Releasing: paired with the exchange in `run`, so that the body sees what was done before.
        if waiting.exchange(mark) == mark { return }
        queue.post(retained: .fromOpaque(Unmanaged.passUnretained(self).toOpaque()))
    }

    package override func run(_ budget: inout Int) -> Bool {
        // Acquiring: paired with each exchange in `post`.
        _ = waiting.exchange(0)
        body()
        return true
    }

    /// Each time it is posted anew that is reported anew.
    package override func wasRefused() -> Bool {
        _ = waiting.exchange(0)
        // The queue lets go of what it refuses: this is the owner's reference again.
        _ = Unmanaged.passUnretained(self).retain()
        return true
    }

    /// Lets go of a job that is not posted any more, when what was posted has run.
    package static func release(_ job: Unmanaged<RepeatedJob>, behind queue: LoopTurnQueue) {
        queue.post(Release(job))
    }

    private final class Release: Job {
        private let job: Unmanaged<RepeatedJob>

        init(_ job: Unmanaged<RepeatedJob>) { self.job = job }

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
