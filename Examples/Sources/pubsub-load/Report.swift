// SPDX-License-Identifier: Apache-2.0

import Foundation
import Histogram

/// The result of a run.
struct Report {
    let violations: [String]
    private let lines: [String]

    init(plan: PubSubLoad, sent: [Int: Int], subscribers: [Subscriber], publishing: Duration) {
        var latencies = Histogram<UInt64>(
            highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .three)
        var violations: [String] = []
        var received = 0
        var dropped = 0
        for (number, subscriber) in subscribers.enumerated() {
            let result = subscriber.result
            received += result.check.received
            dropped += result.check.dropped
            // The latencies of slow subscribers tell only how slow they are.
            if !subscriber.isSlow { latencies.add(result.latencies) }
            if let failure = result.failure {
                violations.append("subscriber \(number): \(failure)")
                continue
            }
            let lost = result.check.lost(of: plan.sent(sent, to: subscriber.topic))
            if lost != 0 { violations.append("subscriber \(number): \(lost) messages lost") }
            if result.check.outOfOrder != 0 {
                violations.append("subscriber \(number): \(result.check.outOfOrder) messages twice or out of order")
            }
        }
        self.violations = violations
        let total = sent.values.reduce(0, +)
        let seconds = publishing / .seconds(1)
        lines = [
            "published  \(total) messages in \(Report.number(seconds)) s: \(Report.number(Double(total) / seconds)) per second",
            "delivered  \(received): \(Report.number(Double(received) / seconds)) per second; \(dropped) dropped by the server",
            "latency    " + Report.percentiles(latencies),
        ]
    }

    func print() {
        for line in lines { Swift.print(line) }
        for violation in violations { Swift.print("VIOLATED   \(violation)") }
        if violations.isEmpty {
            Swift.print("checked    nothing lost, nothing twice, each publisher's messages in order")
        }
    }

    private static func percentiles(_ latencies: Histogram<UInt64>) -> String {
        if latencies.totalCount == 0 { return "none" }
        let values = [50, 99, 99.9].map { percentile in
            "p\(percentile.formatted()) \(number(Double(latencies.valueAtPercentile(percentile)) / 1e3))"
        }
        return values.joined(separator: ", ") + ", max \(number(Double(latencies.max) / 1e3)) microseconds"
    }

    private static func number(_ value: Double) -> String {
        String(format: value < 100 ? "%.1f" : "%.0f", value)
    }
}
