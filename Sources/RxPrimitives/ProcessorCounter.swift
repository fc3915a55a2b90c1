// SPDX-License-Identifier: Apache-2.0

import CRxPrimitives

/// A clock for spans of microseconds that are measured often: a third of the cost of `MonotonicClock`.
///
/// Its unit is a tick of the processor's own counter, or a nanosecond where there is none. Processors may differ by a little, so a
/// span that ends on another processor can be negative.
package enum ProcessorCounter {
    /// The number of ticks since an unspecified start.
    @inline(__always)
    package static func now() -> UInt64 {
        #if RX_MODEL_CHECK
            1
        #else
            isPresent ? rx_processor_counter() : MonotonicClock.now()
        #endif
    }

    /// The number of ticks in `nanoseconds`, exact to some percent.
    package static func ticks(nanoseconds: UInt64) -> UInt64 {
        #if RX_MODEL_CHECK
            nanoseconds
        #else
            isPresent ? max(1, (nanoseconds * ticksPer1024Nanoseconds) >> 10) : nanoseconds
        #endif
    }

    /// The number of nanoseconds in `ticks`, exact to some percent.
    package static func nanoseconds(ticks: UInt64) -> UInt64 {
        #if RX_MODEL_CHECK
            ticks
        #else
            isPresent ? UInt64(Double(ticks) * 1_024 / Double(ticksPer1024Nanoseconds)) : ticks
        #endif
    }

    @inline(__always)
    private static var isPresent: Bool {
        #if arch(x86_64) || arch(i386) || arch(arm64)
            true
        #else
            false
        #endif
    }

    /// Measured at the first use, in about 60 microseconds.
    private static let ticksPer1024Nanoseconds = rate(ticks: now, nanoseconds: MonotonicClock.now)

    /// Returns the number of ticks in 1,024 nanoseconds.
    ///
    /// A thread that is preempted between its looks at the two clocks would get a rate far off, which would hold for the whole process.
    package static func rate(ticks: () -> UInt64, nanoseconds: () -> UInt64) -> UInt64 {
        /// The two clocks at the same moment: of a few looks, the one that took the least time.
        func moment() -> (ticks: UInt64, nanoseconds: UInt64) {
            var (moment, shortest) = ((ticks: UInt64(0), nanoseconds: UInt64(0)), UInt64.max)
            for _ in 0..<4 {
                let (before, time, after) = (ticks(), nanoseconds(), ticks())
                let length = after &- before
                if length < shortest { (moment, shortest) = ((before &+ length / 2, time), length) }
            }
            return moment
        }
        let start = moment()
        while nanoseconds() &- start.nanoseconds < 60_000 {}
        let end = moment()
        return max(1, (end.ticks &- start.ticks) << 10 / (end.nanoseconds &- start.nanoseconds))
    }
}
