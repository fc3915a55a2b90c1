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

    /// Measured at the first use, in about 60 microseconds. The smallest of a few figures: a thread may be preempted between its two
    /// looks at one of the clocks.
    private static let ticksPer1024Nanoseconds: UInt64 = {
        var smallest = UInt64.max
        for _ in 0..<3 {
            let (start, ticks) = (MonotonicClock.now(), now())
            var elapsed: UInt64 = 0
            repeat { elapsed = MonotonicClock.now() &- start } while elapsed < 20_000
            smallest = min(smallest, (now() &- ticks) << 10 / elapsed)
        }
        return max(1, smallest)
    }()
}
