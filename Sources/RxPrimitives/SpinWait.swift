// SPDX-License-Identifier: Apache-2.0

/// Busy-waits for spans that are shorter than it takes to wake a thread.
///
/// Spans are in nanoseconds, not in turns of a loop: the duration of a `spinHint` differs by a factor of ten between processors,
/// so it is measured once in a process.
@frozen
@usableFromInline
package enum SpinWait {
    /// Spins for a number of nanoseconds, or until the condition holds, which is evaluated once per `spinHint`. Returns whether
    /// it held.
    @inlinable @inline(__always)
    package static func spin(nanoseconds: Int, until condition: () -> Bool) -> Bool {
        for _ in 0..<hints(nanoseconds: nanoseconds) {
            if condition() { return true }
            spinHint()
        }
        return false
    }

    /// Spins for a number of nanoseconds, touching no memory that other threads write.
    package static func spin(nanoseconds: Int) {
        for _ in 0..<hints(nanoseconds: nanoseconds) { spinHint() }
    }

    /// The number of calls of `spinHint` that take a number of nanoseconds; at least one.
    @usableFromInline
    package static func hints(nanoseconds: Int) -> Int {
        #if RX_MODEL_CHECK
            1
        #else
            max(1, nanoseconds * hintsPer1024Nanoseconds >> 10)
        #endif
    }

    /// Measured at the first use, in about ten microseconds. The shortest of a few runs: a thread may be preempted in the midst of one.
    private static let hintsPer1024Nanoseconds: Int = {
        let count = 32
        var shortest = UInt64.max
        for _ in 0..<8 {
            let start = MonotonicClock.now()
            for _ in 0..<count { spinHint() }
            shortest = min(shortest, MonotonicClock.now() &- start)
        }
        return min(1_024, max(1, count << 10 / Int(max(1, shortest))))
    }()
}
