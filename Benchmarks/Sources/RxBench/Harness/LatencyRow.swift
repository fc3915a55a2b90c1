// SPDX-License-Identifier: Apache-2.0

/// A line of the table whose result is a distribution of times instead of one: each unit of work is timed by itself.
struct LatencyRow {
    /// Does the work, and writes the nanoseconds of each unit to `samples`.
    typealias Measure = (_ samples: UnsafeMutableBufferPointer<UInt64>) -> Void

    /// One of the compared sides.
    struct Side {
        let name: String
        /// The number of samples per round.
        let samples: Int
        let measure: Measure
    }

    let area: Area
    let name: String
    /// The unit of work that is timed.
    let unit: String
    let ours: Side
    let peer: Side
    /// The limit for any software, measured in the same rounds; not judged.
    let baseline: Side?
    /// The percentile at which peer and ours are compared.
    let comparedPercentile: Double
    /// The least ratio peer / ours that passes; nil for a row that only informs.
    let bar: Double?
    /// The number of rounds, where fewer than usual are enough.
    let rounds: Int?

    init(
        _ area: Area, _ name: String, unit: String, ours: Side, peer: Side, baseline: Side? = nil,
        comparing percentile: Double = 50, bar: Double? = nil, rounds: Int? = nil
    ) {
        self.area = area
        self.name = name
        self.unit = unit
        self.ours = ours
        self.peer = peer
        self.baseline = baseline
        self.comparedPercentile = percentile
        self.bar = bar
        self.rounds = rounds
    }
}

extension LatencyRow.Side {
    /// - Parameter samples: the units of work per round.
    init(_ name: String, samples: Int, _ measure: @escaping LatencyRow.Measure) {
        self.init(name: name, samples: samples, measure: measure)
    }
}
