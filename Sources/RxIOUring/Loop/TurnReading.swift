// SPDX-License-Identifier: Apache-2.0

/// The state of a loop's turns at one look, in ticks of `ProcessorCounter`.
package struct TurnReading {
    /// The start of the current turn; 0 while the loop sleeps.
    package var turnStart: UInt64 = 0
    /// The ticks for which the current turn has lasted.
    package var elapsed: UInt64 = 0
    /// The number of stalls that have ended, and the start and the ticks of the last one.
    package var endedStalls: UInt = 0
    package var lastStallStart: UInt64 = 0
    package var lastStallTicks: UInt64 = 0

    package init() {}
}
