// SPDX-License-Identifier: Apache-2.0

import Histogram

/// A histogram of latencies in nanoseconds, with three digits of each.
struct LatencyHistogram {
    private var histogram: Histogram<UInt64>

    init() {
        histogram = Histogram(highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .three)
        histogram.autoResize = true
    }

    mutating func record(_ nanoseconds: UInt64) {
        histogram.record(nanoseconds)
    }

    /// Returns at least 1, as ratios divide by it.
    func nanoseconds(at percentile: Double) -> Double {
        Double(max(1, histogram.valueAtPercentile(percentile)))
    }

    /// - Parameter rounds: one percentile of each round.
    func distribution(name: String, rounds: [Double]) -> Distribution {
        Distribution(
            name: name,
            samples: histogram.totalCount,
            minimum: histogram.min,
            mean: histogram.mean,
            p50: histogram.valueAtPercentile(50),
            p99: histogram.valueAtPercentile(99),
            p999: histogram.valueAtPercentile(99.9),
            maximum: histogram.max,
            rounds: rounds,
            curve: histogram.percentiles(ticksPerHalfDistance: 5).map {
                .init(percentile: $0.percentile, nanoseconds: $0.value)
            })
    }
}
