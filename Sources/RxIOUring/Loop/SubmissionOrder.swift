import RxPrimitives
import RxSwift

// How the order is kept: each piece of work is counted before it is queued, and until it has been done or rejected. Whoever knows
// of it comes behind the count, and sees it. So while the count is not 0, the loop does not do at once what belongs behind, but
// queues it, too, in the same queue, where first in is first out; and when it finds 0, all that it could know of is done.
// Nobody waits: what the loop puts off comes behind what is in its queue at that moment, and nothing can get in between.
// Progress: lock-free.
// Threads: all of it from any thread.

/// Closures that are handed to a loop, in the order in which they are handed over, whoever does that.
final class SubmissionOrder {
    private let queue: LoopRunQueue

    /// How many were handed over and not done.
    private let underWay = AtomicWord(0)

    /// - Parameter queue: the loop's.
    init(to queue: LoopRunQueue) {
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
    /// - Parameter rejected: called instead, on any thread, if the loop takes no more work; returns whether that is to be
    ///   reported.
    func submit(_ body: @escaping () -> Void, rejected: @escaping () -> Bool) {
        // Only counts: the queue hands over what was done before.
        _ = underWay.fetchAdd(1)
        queue.submit(WorkJob(Task(body, rejected: rejected, of: self)))
    }

    private func isDone() { _ = underWay.fetchAdd(0 &- 1) }

    private final class Task: Work {
        private let body: () -> Void
        private let rejected: () -> Bool
        private let submissionOrder: SubmissionOrder

        init(_ body: @escaping () -> Void, rejected: @escaping () -> Bool, of submissionOrder: SubmissionOrder) {
            self.body = body
            self.rejected = rejected
            self.submissionOrder = submissionOrder
        }

        func run(_ budget: inout Int) -> Bool {
            body()
            submissionOrder.isDone()
            return true
        }

        func wasRejected() -> Bool {
            defer { submissionOrder.isDone() }
            return rejected()
        }
    }
}
