// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Time that never jumps, even if the wall clock does.
@usableFromInline
package enum MonotonicClock {
    /// Nanoseconds of `CLOCK_MONOTONIC`: counted from an unspecified start, the same for all threads of the process.
    ///
    /// Costs about 22 ns, so read it once per tick. Time during which the machine is suspended does not count.
    @usableFromInline
    package static func now() -> UInt64 {
        #if RX_MODEL_CHECK
            // Explored executions have to repeat: their clock stands still.
            return 1_000_000_000
        #else
            var time = timespec()
            // Fails only for a clock that the kernel does not know or for an invalid address.
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
        #endif
    }

    /// The deadline that lies `interval` nanoseconds after `time`; at most `UInt64.max`, which never comes.
    ///
    /// An interval that is negative counts as 0.
    @inlinable
    package static func deadline(after interval: Int64, from time: UInt64) -> UInt64 {
        let (sum, overflow) = time.addingReportingOverflow(UInt64(max(0, interval)))
        return overflow ? .max : sum
    }
}
