import RxPrimitives
import RxSwift

// How the order is kept: each piece of work is counted before it is queued, and until it has been done or refused. Whoever knows
// of it comes behind the count, and sees it. So while the count is not 0, the loop does not do at once what belongs behind, but
// queues it, too, in the same queue, where first in is first out; and when it finds 0, all that it could know of is done.
// Nobody waits: what the loop puts off comes behind what is in its queue at that moment, and nothing can get in between.
// Progress: lock-free.
// Threads: all of it from any thread.

/// Closures that are handed to a loop, in the order in which they are handed over, whoever does that.
final class HandOver {
    private let queue: LoopTurnQueue

    /// How many were handed over and not done.
    private let underWay = AtomicWord(0)

    /// - Parameter queue: the loop's.
    init(to queue: LoopTurnQueue) {
        self.queue = queue
    }

    /// Whether everything is done that the caller knows to have been handed over: on the loop, it need not be handed over what
    /// comes behind.
    // Relaxed: who knows of something that was counted comes behind it, and so sees it.
    var isIdle: Bool { underWay.loadRelaxed() == 0 }

    /// The same, in one order with other read-modify-writes: see `LoopTimers.mayHoldJobs`.
    var isIdleInOneOrder: Bool { underWay.fetchAdd(0) == 0 }

    /// Has the loop run `body` behind what was handed over before.
    ///
    /// - Parameter refused: called instead, on any thread, if the loop takes no more work; returns whether that is to be
    ///   reported.
    func post(_ body: @escaping () -> Void, refused: @escaping () -> Bool) {
        // Only counts: the queue hands over what was done before.
        _ = underWay.fetchAdd(1)
        queue.post(WorkJob(Task(body, refused: refused, of: self)))
    }

    private func isDone() { _ = underWay.fetchAdd(0 &- 1) }

    private final class Task: Work {
        private let body: () -> Void
        private let refused: () -> Bool
        private let handOver: HandOver

        init(_ body: @escaping () -> Void, refused: @escaping () -> Bool, of handOver: HandOver) {
            self.body = body
            self.refused = refused
            self.handOver = handOver
        }

        func run(_ budget: inout Int) -> Bool {
            body()
            handOver.isDone()
            return true
        }

        func wasRefused() -> Bool {
            defer { handOver.isDone() }
            return refused()
        }
    }
}
