// SPDX-License-Identifier: Apache-2.0

/// Decides which inner sources run when their number at a time is limited.
///
/// Not thread-safe: its owner guards it. Runs no foreign code, and returns the objects that it drops.
package struct ConcurrencyLimit<Inner> {
    /// The number of sources that may run at a time. With 0 or less, none ever runs.
    private let limit: Int
    private var activeCount = 0
    private var hasOuterEnded = false

    /// The sources that wait for a slot. No source is left before `firstWaiting`.
    private var waiting: [Inner?] = []
    private var firstWaiting = 0

    package init(limit: Int) { self.limit = limit }

    /// True if one more source may run.
    package var hasRoom: Bool { activeCount < limit }

    /// The number of sources that wait for a slot.
    package var waitingCount: Int { waiting.count - firstWaiting }

    /// The consequence of the end of a source.
    package enum Next {
        /// This source takes the slot.
        case start(Inner)
        /// The slot stays empty for now.
        case idle
        /// That was the last source, so the result completes.
        case complete
    }

    /// Admits a new inner source. Returns whether it may run; if not, it waits.
    package mutating func admit(_ inner: Inner) -> Bool {
        if hasRoom {
            activeCount += 1
            return true
        }
        waiting.append(inner)
        return false
    }

    /// Releases the slot of a running source that has completed.
    package mutating func innerEnded() -> Next {
        if firstWaiting < waiting.count, let inner = waiting[firstWaiting] {
            waiting[firstWaiting] = nil
            firstWaiting += 1
            if firstWaiting == waiting.count || firstWaiting >= 64 && firstWaiting * 2 >= waiting.count {
                waiting.removeFirst(firstWaiting)
                firstWaiting = 0
            }
            return .start(inner)
        }
        activeCount -= 1
        return hasOuterEnded && activeCount == 0 ? .complete : .idle
    }

    /// Notes that the outer source has completed. Returns whether the result completes too.
    package mutating func outerEnded() -> Bool {
        hasOuterEnded = true
        return activeCount == 0
    }

    /// Removes and returns the inner sources that wait.
    package mutating func takeWaiting() -> [Inner?] {
        let given = waiting
        waiting = []
        firstWaiting = 0
        return given
    }
}
