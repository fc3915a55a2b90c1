// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives
import RxSwift

extension EventLoop {
    func reportRejected(_ count: Int) {
        if count > 0 { Hooks.workRejectedHandler(configuration.name, count) }
    }

    /// Starts a thread, and tries again every 10 ms for a second, as other threads may end meanwhile. Returns 0, or the last errno.
    func startOwnThread(_ body: @escaping () -> Void) -> CInt {
        var status = configuration.startThread(body)
        for _ in 1..<100 where status != 0 {
            usleep(10_000)
            status = configuration.startThread(body)
        }
        return status
    }

    /// The error of a stream that begins on this loop when the loop is closed.
    func closedError(subject: String) -> IOError {
        guard let failure else { return IOError(code: ECANCELED, operation: "event loop shut down", subject: subject) }
        return IOError(code: failure.code, operation: failure.operation, subject: subject)
    }

    /// Drops the timers, and the events that wait in hops and beginnings of sequences, at the end of the loop. Returns the number of pieces of work
    /// that are lost.
    ///
    /// Those hops and sequences fail, so that a stream which has come through them does not look whole when its output is closed next.
    func endStages() -> Int {
        lossError = closedError(subject: configuration.name)
        defer { lossError = nil }
        let dropped = queue.rejectExpressEvents() + timers.removeAll()
        let end = MonotonicClock.now() &+ EventLoop.timeForHops
        var hops = 0
        let lost = queue.rejectEvents {
            hops += 1
            return hops < EventLoop.mostHops && MonotonicClock.now() < end
        }
        return dropped + lost
    }

    /// Runs `body`, which tells a subscriber of a loss, if the loop is dropping events. Not from inside another one.
    func tellOfLoss(_ body: () -> Void) -> Bool {
        if !isCurrent || lossError == nil { return false }
        withoutTelling(body)
        return true
    }

    /// Runs `body` on the loop thread, in which no subscriber is told of a loss: one that tries again at each error would not return.
    func withoutTelling(_ body: () -> Void) {
        let error = lossError
        lossError = nil
        body()
        lossError = error
    }

    /// The number of hops through which an end passes. A subscriber that tries again at each error would go on for ever.
    private static let mostHops = 100

    /// The time in nanoseconds that it has for those behind the first one: other threads may submit work faster than it is rejected.
    private static let timeForHops: UInt64 = 100_000_000

    /// Rejects the work that waits at the closed queue, unless another thread is doing that.
    func rejectUnlessDrained() {
        let node = UnsafeMutablePointer<DrainNode>.allocate(capacity: 1)
        node.initialize(to: DrainNode())
        guard case .entered = rejection.enterOrPush(node, mayResume: false) else { return }
        node.deallocate()
        reportRejected(rejectUntilIdle())
    }

    /// Rejects work until none comes any more. Called by the thread inside `rejection`.
    func rejectUntilIdle() -> Int {
        var count = 0
        repeat {
            while let asked = rejection.popFirst() { asked.deallocate() }
            queue.resume()
            rejecter.storeRelaxed(CurrentThread.identity)
            count += queue.rejectAll()
            rejecter.storeRelaxed(0)
        } while !rejection.tryLeave()
        return count
    }

    /// Makes the queue reject work in a process that was just forked from the loop's own.
    ///
    /// The loop thread is missing there, in whichever state it was at the fork. This does atomic stores, and nothing else.
    func wasForked() {
        queue.wasForked()
        rejecter.storeRelaxed(0)
    }

    /// Runs `body` soon on a thread other than the loop's, for a loop that rejects work.
    func performElsewhere(_ body: @escaping () -> Void) {
        // A forked process has no other threads.
        if rx_forks() != forks { return body() }
        // Relaxed: a thread reads its own last store; any other thread finds no word equal to its identity.
        if rejecter.loadRelaxed() == CurrentThread.identity {
            rejections.run(body)
        } else {
            // A thread that submits to an ended loop waits for the pool's lock: so the pool is not flooded.
            PoolFeeder.run(body, in: .deliveries)
        }
    }
}
