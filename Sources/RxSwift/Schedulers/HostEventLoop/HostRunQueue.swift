// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A run queue whose batches are bodies of a host's loop.
///
/// After the end of that loop, the threads that submit reject the work, one at a time. A thread that has rejected more than a batch offers that duty
/// to the others, so that threads that keep submitting cannot occupy it for ever.
final class HostRunQueue: RunQueue, HostTask {
    private let host: HostLoop

    // Only the drainer uses these two.
    private let turn = TurnBudget(steps: HostRunQueue.turnLimit, nanoseconds: HostRunQueue.turnTime)
    /// Receives the jobs that have run. It keeps none, as no action of these schedulers is one to recycle.
    private let pool = ActionPool(idleTimeout: .max)

    /// 1 while the drainer offers another thread to continue the rejection.
    private let offer = AtomicWord(0)

    private static let turnLimit = 512
    /// The nanoseconds after which a batch ends. A step is never interrupted.
    private static let turnTime: UInt64 = 200_000
    /// The number of jobs after which a thread offers the rejection to others.
    #if RX_MODEL_CHECK
        private static let rejectionLimit = 1
    #else
        private static let rejectionLimit = 256
    #endif
    /// The nanoseconds for which an offer is valid. If no thread submits meanwhile, the remaining rejections are soon done.
    private static let offerTime = 20_000

    init(_ host: HostLoop) {
        self.host = host
        super.init(batchLimit: HostRunQueue.turnLimit)
    }

    override func nameIfHeldByCaller(mainQueueRuns: Bool) -> String? {
        host.loop.isCurrent ? "the event loop \(host.name)" : nil
    }

    package override func submit(_ job: Job) {
        submitRemote(job)
        // Acquiring: paired with the exchange in `isTakenOver`, so that the caller sees the effects of the drainer before it.
        if offer.loadRelaxed() != 0, offer.exchange(0) != 0 { rejectWaiting() }
    }

    package override func wake() {
        if host.hasEnded { rejectWaiting() } else { host.loop.enqueue(HostBody.of(self)) }
    }

    // MARK: HostTask

    /// Runs a batch. The caller is the drainer.
    func run() {
        let session = DrainSession.unretained
        session._withUnsafeGuaranteedRef { $0.beginCallbacks() }
        turn.begin()
        let isLeft = runTurn()
        session._withUnsafeGuaranteedRef { $0.endCallbacks() }
        if isLeft { wake() }
    }

    func wasDropped() {
        host.end()
        rejectWaiting()
    }

    /// Runs jobs until none is left or the turn is over. Returns true if jobs are left.
    private func runTurn() -> Bool {
        while true {
            let (steps, isLeft) = runJobs(in: turn, keepingIn: pool)
            if isLeft { return true }
            // In a stream from another thread. To wake the loop again would cost ten times that wait.
            if steps > RunQueue.streamThreshold { _ = waitForPending() }
            if tryGoIdle() { return false }
        }
    }

    // MARK: The end

    /// Rejects the waiting jobs and those submitted meanwhile. The caller is the drainer, and stops being it when this returns.
    private func rejectWaiting() {
        var lost = 0
        while true {
            let (count, isIdle) = reject(atMost: HostRunQueue.rejectionLimit)
            lost += count
            if isIdle || isTakenOver() { break }
        }
        host.report(lost)
    }

    /// Returns true if another thread, which was submitting, has become the drainer.
    private func isTakenOver() -> Bool {
        // Releasing: paired with the exchange in `submit`.
        _ = offer.exchange(1)
        _ = SpinWait.spin(nanoseconds: HostRunQueue.offerTime) { offer.loadRelaxed() == 0 }
        return offer.exchange(0) == 0
    }
}
