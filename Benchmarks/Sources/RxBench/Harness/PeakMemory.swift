// SPDX-License-Identifier: Apache-2.0

import CPlainPeers

/// The most resident memory that the process takes during a piece of a run.
enum PeakMemory {
    /// Begins a piece after returning free memory to the system. Returns the bytes that are resident now.
    static func reset() -> UInt64 {
        guard plain_reset_peak_resident_bytes() else { return plain_peak_resident_bytes() }
        return plain_resident_bytes()
    }

    /// Returns the most bytes that were resident since `reset`, or in the whole process where the system keeps no such peak.
    static func bytes() -> UInt64 { plain_peak_resident_bytes() }

    /// Returns the megabytes by which resident memory grew at its peak while `body` ran.
    static func growth(_ body: () -> Void) -> Double {
        let before = reset()
        body()
        let peak = bytes()
        return Double(peak - min(peak, before)) / 1e6
    }
}
