// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Decides whether work for a scheduler of the main queue may run right where it is submitted: there, when the scheduler object has nothing
/// queued or under way.
///
/// All these schedulers share one run queue, so that their queued work keeps its order; each has a gate of its own. Inline work does not
/// occupy the queue: where an inline callback runs the main run loop, the queue goes on with other work. A callback that emits anew each time
/// would be called inline for ever; after 256 such events the others are queued, so that the main queue gets its turn.
@usableFromInline
package final class InlineGate: @unchecked Sendable {
    /// The jobs that are queued or running, and the work that is running inline.
    private let count = AtomicWord(0)

    /// The inline work under way, of all gates. Used only on the main queue.
    @exclusivity(unchecked) nonisolated(unsafe) private static var depth = 0

    package init() {}

    /// Begins inline work, if that is allowed.
    package func tryEnter() -> Bool {
        guard MainQueue.isCurrent, !DrainSession.mayFeedItself, count.compareExchange(0, 1) else { return false }
        InlineGate.depth += 1
        return true
    }

    /// Ends work begun by `tryEnter`.
    package func leave() {
        InlineGate.depth -= 1
        jobEnded()
    }

    /// Counts a job that is about to be queued; called on any thread.
    func jobBegins() { _ = count.fetchAdd(1) }

    /// Counts a job less, when it has run.
    func jobEnded() { _ = count.fetchAdd(0 &- 1) }

    /// True if inline work of any scheduler is under way. Read only on the main queue.
    package static var isAnyUnderWay: Bool { depth > 0 }
}
