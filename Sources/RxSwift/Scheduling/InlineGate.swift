// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Decides whether work for a scheduler of the main queue may run right where it is submitted: there, when the scheduler object has nothing
/// queued or under way.
///
/// All these schedulers share one run queue, so that their queued work keeps its order; each has a gate of its own. Inline work does not
/// occupy the queue: where an inline callback runs the main run loop, the queue goes on with other work.
///
/// An event that inline work emits to a sequence which is being delivered waits until that is over. It counts as part of the inline work then,
/// too, as if it had been delivered at once: the same scheduler queues what comes of it, and the main queue gets its turn. A callback that
/// emits anew each time outside of inline work would cause inline work for ever; after 256 such events the others are queued.
@usableFromInline
package final class InlineGate: @unchecked Sendable {
    /// The jobs that are queued or running, and the work that is running inline.
    private let count = AtomicWord(0)

    /// The bit of this gate in `InlineWork`.
    private let bit = UInt(1) << (InlineGate.made.fetchAddRelaxed(1) % UInt(UInt.bitWidth))
    /// True if the inline work has set that bit. Used only on the main queue.
    @exclusivity(unchecked) private var hasSetBit = false

    /// The number of gates made.
    private static let made = AtomicWord(0)

    package init() {}

    /// Begins inline work, if that is allowed.
    package func tryEnter() -> Bool {
        guard MainQueue.isCurrent, !DrainSession.mayFeedItself(bit), count.compareExchange(0, 1) else { return false }
        hasSetBit = InlineWork.begin(bit)
        return true
    }

    /// Ends work begun by `tryEnter`.
    package func leave() {
        if hasSetBit { InlineWork.end(bit) }
        jobEnded()
    }

    /// Counts a job that is about to be queued; called on any thread.
    func jobBegins() { _ = count.fetchAdd(1) }

    /// Counts a job less, when it has run.
    func jobEnded() { _ = count.fetchAdd(0 &- 1) }

    /// True if inline work of any scheduler is under way. Read only on the main queue.
    package static var isAnyUnderWay: Bool { InlineWork.current != 0 }
}
