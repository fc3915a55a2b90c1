import Histogram

/// A latency row after its rounds, as it goes into the table and the JSON file.
struct LatencyResult: Codable {
    let area: Area
    let name: String
    let unit: String
    let ours: Distribution
    let peer: Distribution
    let baseline: Distribution?
    let comparedPercentile: Double
    /// Of all rounds together, and its least and greatest value in one round.
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

/// What one side's latencies were, in nanoseconds.
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
    /// The histogram's curve: which latency so many per cent of the samples did not exceed.
    let curve: [Point]

    struct Point: Codable {
        let percentile: Double
        let nanoseconds: UInt64
    }
}

/// Collects one side's samples over the rounds. A histogram keeps three digits of each.
struct Recording {
    private let side: LatencyRow.Side
    private let percentile: Double
    private var all = Recording.histogram()
    /// The compared percentile in each round.
    private(set) var compared: [Double] = []

    init(_ side: LatencyRow.Side, comparing percentile: Double) {
        self.side = side
        self.percentile = percentile
    }

    /// - Parameter counts: whether the samples count; those of a warm-up do not.
    mutating func runRound(counts: Bool = true) {
        // The workload writes to plain memory: what a histogram costs is no part of what is timed.
        let samples = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: side.samples)
        samples.initialize(repeating: 0)
        defer { samples.deallocate() }
        side.measure(samples)
        guard counts else { return }
        var round = Recording.histogram()
        for sample in samples {
            round.record(sample)
            all.record(sample)
        }
        compared.append(Double(max(1, round.valueAtPercentile(percentile))))
    }

    /// At least 1, as it is divided by.
    func nanoseconds(at percentile: Double) -> Double {
        Double(max(1, all.valueAtPercentile(percentile)))
    }

    var distribution: Distribution {
        Distribution(
            name: side.name,
            samples: all.totalCount,
            minimum: all.min,
            mean: all.mean,
            p50: all.valueAtPercentile(50),
            p99: all.valueAtPercentile(99),
            p999: all.valueAtPercentile(99.9),
            maximum: all.max,
            rounds: compared,
            curve: all.percentiles(ticksPerHalfDistance: 5).map {
                .init(percentile: $0.percentile, nanoseconds: $0.value)
            })
    }

    private static func histogram() -> Histogram<UInt64> {
        var histogram = Histogram<UInt64>(highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .three)
        histogram.autoResize = true
        return histogram
    }
}
