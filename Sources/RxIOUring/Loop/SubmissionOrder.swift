// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives
import RxSwift

// A count keeps the order: each piece of work is counted before it is queued, and until it has been done or rejected. A thread
// that knows of the work comes after the count, and sees it. While the count is not 0, the loop does not do later work at once,
// but queues it, too, in the same queue, where first in is first out. When the loop finds 0, all work that it could know of is
// done. No thread waits: work that the loop puts off runs after the content of its queue at that moment, and nothing can get in
// between.
//
// Progress: lock-free.
// Threads: everything from any thread.

/// Submits closures to a loop, which runs them in the order of submission, on whichever threads they were submitted.
final class SubmissionOrder {
    private let queue: LoopRunQueue

    /// The number of closures that were submitted and are not done.
    private let underWay = AtomicWord(0)

    /// - Parameter queue: the loop's queue.
    init(to queue: LoopRunQueue) {
        self.queue = queue
    }

    /// True if all submitted work that the caller knows of is done. On the loop thread, later work then needs no submission.
    // Relaxed: a thread that knows of counted work comes after the count, and so sees it.
    var isIdle: Bool { underWay.loadRelaxed() == 0 }

    /// Gives the loop time to catch up with the closures submitted before, if those are many: the caller gives its processor away, or sleeps for
    /// 100 µs, but never waits for the loop.
    ///
    /// Called by who opens a stream, which may have a descriptor already that the loop will close. A loop thread is not slowed down.
    func slowDownIfBehind() {
        // Relaxed: a hint.
        let waiting = underWay.loadRelaxed()
        if waiting < SubmissionOrder.fewWaiting || LoopRegistry.current != nil { return }
        if waiting < SubmissionOrder.manyWaiting { _ = sched_yield() } else { usleep(100) }
    }

    private static let fewWaiting: UInt = 128
    private static let manyWaiting: UInt = 512

    /// Submits `body`, which the loop runs after the closures submitted before.
    ///
    /// - Parameters:
    ///   - holdsEvents: see `Job.holdsEvents`.
    ///   - rejected: called instead, on any thread, if the loop takes no more work; returns whether that is to be reported.
    func submit(_ body: @escaping () -> Void, holdsEvents: Bool, rejected: @escaping () -> Bool) {
        // Only counts: the queue publishes what the caller has done before.
        _ = underWay.fetchAdd(1)
        queue.submitIndependent(
            WorkJob(holdsEvents: holdsEvents) { [self] _, isRejected in
                defer { _ = underWay.fetchAdd(0 &- 1) }
                if isRejected { return rejected() }
                body()
                return true
            })
    }
}
