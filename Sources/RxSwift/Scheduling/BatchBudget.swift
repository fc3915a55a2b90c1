// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Limits a batch by steps and by time, 200 microseconds or three steps that take longer, after which other work has its turn.
///
/// Steps are given in slices that double, with a look at the clock between two of them: ten in a batch of 512. For schedulers whose threads belong to
/// others: an event loop has a `TurnBudget`.
struct BatchBudget {
    private let limit: Int
    private let start = ProcessorCounter.now()

    /// The number of steps given so far.
    private(set) var given = 0

    private static let firstSize = 3
    private static let ticks = ProcessorCounter.ticks(nanoseconds: 200_000)

    /// - Parameter limit: the number of steps, at least 1.
    init(limit: Int) { self.limit = limit }

    mutating func firstSlice() -> Int {
        given = min(limit, BatchBudget.firstSize)
        return given
    }

    /// Adds a slice to a budget that is used up. Returns false if the batch is over.
    mutating func addSlice(to budget: inout Int) -> Bool {
        // A negative span, from a move to another processor, ends the batch as well.
        if given == limit || ProcessorCounter.now() &- start > BatchBudget.ticks { return false }
        let slice = min(given, limit - given)
        given += slice
        budget += slice
        return budget > 0
    }
}
