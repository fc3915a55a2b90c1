// SPDX-License-Identifier: Apache-2.0

import CSimulator

/// Takes the place of the class of that name in Parker.swift.
package final class Parker: @unchecked Sendable {
    private let cell: UnsafeMutableRawPointer

    package init() { cell = rxModelMake(0, 3) }

    deinit { rxModelFree(cell) }

    package func park(until deadline: UInt64) { rx_sim_park(cell, deadline) }

    package func unpark() { rxModelUnpark(cell) }
}

/// Takes the place of MonotonicClock.swift: virtual time.
@usableFromInline
package enum MonotonicClock {
    @usableFromInline
    package static func now() -> UInt64 { rx_sim_now() }

    @inlinable
    package static func deadline(after interval: Int64, from time: UInt64) -> UInt64 {
        let (sum, overflow) = time.addingReportingOverflow(UInt64(max(0, interval)))
        return overflow ? .max : sum
    }
}
