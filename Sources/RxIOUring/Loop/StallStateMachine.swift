// SPDX-License-Identifier: Apache-2.0

/// Decides when a stall of one loop is reported. Used only by the thread of the stall detector.
package struct StallStateMachine {
    /// What the detector must do.
    package enum Action: Equatable {
        case none
        /// Report that the turn that began at `start` has lasted for `ticks`.
        case reportLasting(start: UInt64, ticks: UInt64)
        /// Report that a turn has ended; `wasReported` is true if its stack was taken before.
        case reportEnd(ticks: UInt64, wasReported: Bool)
    }

    /// The ticks above which a turn is a stall.
    private let limit: UInt64
    /// The start of the lasting turn that was reported; 0 if there is none.
    private var reported: UInt64 = 0
    /// The number of ended stalls that are reported, or lost because several ended between two looks.
    private var endedStalls: UInt = 0

    package init(limit: UInt64) { self.limit = limit }

    /// Decides about a look at the loop.
    package mutating func look(at reading: TurnReading) -> Action {
        if reading.endedStalls != endedStalls {
            endedStalls = reading.endedStalls
            let wasReported = reported != 0 && reported == reading.lastStallStart
            // The next turn may have begun already, and is looked at next time.
            reported = 0
            return .reportEnd(ticks: reading.lastStallTicks, wasReported: wasReported)
        }
        let isReported = reading.turnStart == reported
        if reading.turnStart == 0 || isReported || reading.elapsed <= limit { return .none }
        reported = reading.turnStart
        return .reportLasting(start: reading.turnStart, ticks: reading.elapsed)
    }
}
