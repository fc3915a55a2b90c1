import CPlainPeers

/// How much resident memory the process takes at most, during a piece of a run.
enum PeakMemory {
    /// Begins a piece, having given free memory back to the system. Returns the bytes that are resident now.
    static func reset() -> UInt64 {
        guard plain_reset_peak_resident_bytes() else { return plain_peak_resident_bytes() }
        return plain_resident_bytes()
    }

    /// The most bytes that were resident since `reset`. Where the system keeps no such peak, the process's.
    static func bytes() -> UInt64 { plain_peak_resident_bytes() }

    /// Megabytes by which resident memory grew at its peak while `body` ran.
    static func growth(_ body: () -> Void) -> Double {
        let before = reset()
        body()
        let peak = bytes()
        return Double(peak - min(peak, before)) / 1e6
    }
}
