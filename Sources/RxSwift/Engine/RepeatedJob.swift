import RxPrimitives

/// A closure that is run each time this job is posted; being posted while it waits changes nothing.
package final class RepeatedJob: Job {
    private let body: () -> Void

    /// 1 while the job is in a queue. Set by who posts it, cleared by the scheduler before the body runs.
    private let isQueued = AtomicWord(0)

    package init(_ body: @escaping () -> Void) {
        self.body = body
        super.init()
    }

    /// Whether the caller has to post the job: nobody else has.
    // Releasing: paired with the exchange in `run`, so that the body sees what was done before.
    package func tryQueue() -> Bool { isQueued.exchange(1) == 0 }

    package override func run(_ budget: inout Int) -> Bool {
        // Acquiring: paired with each exchange in `tryQueue`.
        _ = isQueued.exchange(0)
        body()
        return true
    }

    /// Each time it is posted anew that is reported anew.
    package override func wasRefused() -> Bool {
        _ = isQueued.exchange(0)
        return true
    }
}
