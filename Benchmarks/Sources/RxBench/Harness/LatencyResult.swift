// SPDX-License-Identifier: Apache-2.0

/// A latency row after its rounds, as it goes into the table and the JSON file.
struct LatencyResult: Codable {
    let area: Area
    let name: String
    let unit: String
    let ours: Distribution
    let peer: Distribution
    let baseline: Distribution?
    let comparedPercentile: Double
    /// The ratio of all rounds together, and its least and greatest value in one round.
    let ratio: Double
    let ratioMinimum: Double
    let ratioMaximum: Double
    let bar: Double?
    let verdict: Result.Verdict

    init(row: LatencyRow, ours: Recording, peer: Recording, baseline: Recording?) {
        area = row.area
        name = row.name
        unit = row.unit
        comparedPercentile = row.comparedPercentile
        bar = row.bar
        self.ours = ours.distribution
        self.peer = peer.distribution
        self.baseline = baseline?.distribution
        let ratio = peer.nanoseconds(at: row.comparedPercentile) / ours.nanoseconds(at: row.comparedPercentile)
        self.ratio = ratio
        let ratios = zip(peer.compared, ours.compared).map { $0 / $1 }
        ratioMinimum = ratios.min() ?? 0
        ratioMaximum = ratios.max() ?? 0
        verdict = row.bar.map { ratio < $0 ? .slow : .pass } ?? .informs
    }
}

/// The latencies of one side, in nanoseconds.
struct Distribution: Codable {
    let name: String
    let samples: UInt64
    let minimum: UInt64
    let mean: Double
    let p50: UInt64
    let p99: UInt64
    let p999: UInt64
    let maximum: UInt64
    /// The compared percentile in each round.
    let rounds: [Double]
    /// The histogram's curve: the latency that so many per cent of the samples did not exceed.
    let curve: [Point]

    struct Point: Codable {
        let percentile: Double
        let nanoseconds: UInt64
    }
}

/// Collects one side's samples over the rounds.
struct Recording {
    private let side: LatencyRow.Side
    private let percentile: Double
    private var all = LatencyHistogram()
    /// The compared percentile in each round.
    private(set) var compared: [Double] = []

    init(_ side: LatencyRow.Side, comparing percentile: Double) {
        self.side = side
        self.percentile = percentile
    }

    /// - Parameter counts: true if the samples count; those of a warm-up do not.
    mutating func runRound(counts: Bool = true) {
        // The workload writes to plain memory: the cost of a histogram is not timed.
        let samples = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: side.samples)
        samples.initialize(repeating: 0)
        defer { samples.deallocate() }
        side.measure(samples)
        guard counts else { return }
        var round = LatencyHistogram()
        for sample in samples {
            round.record(sample)
            all.record(sample)
        }
        compared.append(round.nanoseconds(at: percentile))
    }

    func nanoseconds(at percentile: Double) -> Double { all.nanoseconds(at: percentile) }

    var distribution: Distribution { all.distribution(name: side.name, rounds: compared) }
}
