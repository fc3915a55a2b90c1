// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Limits the work of one kind that an event loop does before other kinds have their turn: by steps, and by time.
///
/// Steps are given in slices, and the clock is read between two of them. Slices begin small, so that a turn of slow steps ends early,
/// and grow, so that fast steps seldom pay for the clock. Used only on the loop thread.
package final class TurnBudget {
    /// The number of steps per turn.
    private let steps: Int
    /// The ticks of `ProcessorCounter` per turn.
    private let ticks: UInt64

    /// The time at which the turn began, in ticks of `ProcessorCounter`.
    @exclusivity(unchecked) package private(set) var start: UInt64 = 0
    /// The number of steps given in this turn.
    @exclusivity(unchecked) private var given = 0
    /// The size of the next slice.
    @exclusivity(unchecked) private var size = TurnBudget.smallestSlice

    /// True once the loop was told to end: no slice is given any more.
    @exclusivity(unchecked) package var isStopped = false

    /// Work of a single action, which takes two steps, needs no look at the clock.
    private static let smallestSlice = 3
    private static let largestSlice = 16

    /// - Parameters:
    ///   - steps: the number of steps per turn.
    ///   - nanoseconds: the time per turn, after which no further slice is given. A step is never interrupted.
    package init(steps: Int, nanoseconds: UInt64) {
        self.steps = steps
        ticks = ProcessorCounter.ticks(nanoseconds: nanoseconds)
    }

    /// Begins a turn.
    package func begin() {
        start = ProcessorCounter.now()
        given = 0
        size = TurnBudget.smallestSlice
        isExhausted = false
    }

    /// True once the time of the turn is over, until the next turn.
    package var isOver: Bool {
        // A negative span comes from a move to another processor.
        ProcessorCounter.now() &- start > ticks
    }

    /// True once the turn has ended before the work has, until the next turn.
    @exclusivity(unchecked) package private(set) var isExhausted = false

    /// The number of steps that may be taken before the next call; 0 if the turn is over.
    package func nextSlice() -> Int {
        if given >= steps || isStopped || given != 0 && isOver {
            isExhausted = true
            return 0
        }
        let slice = min(size, steps - given)
        given += slice
        size = min(2 * size, TurnBudget.largestSlice)
        return slice
    }
}
