// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The readable table of rates: a block per side, in it a line per rate.
enum LoadTable {
    static func printHeader() {
        print("")
        print(
            """
            load: latency in µs from when an event is due; offered = so many times what the side delivers at most; queued = accepted and
            not delivered, at most; late = from the end of the schedule to the last delivery
            """)
        flush()
    }

    static func printRow(_ result: LoadResult) {
        let limit = result.memoryLimit.map { ", ours at most \(number($0, decimals: 0)) MB \(result.verdict.mark)" }
        print("\(result.name)\(limit ?? "")")
        print(
            line(
                "", "offered", "M/s", "sent M/s", ["p50", "p99", "p99.9", "max"], "queued", "MB", "late ms", "reports"))
        for side in result.sides {
            print("  \(side.name): \(number(side.capacity / 1e6, decimals: 2)) M/s")
            for level in side.levels {
                print(
                    line(
                        "", "\(number(level.factor, decimals: 1))x", number(level.offered / 1e6, decimals: 2),
                        number(level.sent / 1e6, decimals: 2), columns(level.latency), "\(level.longestQueue)",
                        number(level.megabytes, decimals: 1), number(level.overrun * 1e3, decimals: 1),
                        "\(level.backlogReports)"))
            }
        }
        flush()
    }

    private static func columns(_ latency: Distribution) -> [String] {
        [latency.p50, latency.p99, latency.p999, latency.maximum].map { number(Double($0) / 1e3, decimals: 1) }
    }

    private static func line(
        _ name: String, _ factor: String, _ offered: String, _ sent: String, _ latency: [String], _ queued: String,
        _ megabytes: String, _ late: String, _ reports: String
    ) -> String {
        ([pad(name, 4), pad(factor, -7), pad(offered, -8), pad(sent, -9)] + latency.map { pad($0, -10) }
            + [pad(queued, -9), pad(megabytes, -7), pad(late, -8), pad(reports, -8)]).joined(separator: " ")
    }
}
