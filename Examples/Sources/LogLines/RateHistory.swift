// SPDX-License-Identifier: Apache-2.0

/// The rates of the last seconds, and the keys that had most lines in that time. Its memory has a bound for any keys.
public struct RateHistory: Equatable, Sendable {
    /// The number of lines in each of the last seconds, the latest one last.
    public private(set) var totals: [Int] = []
    private var rows: [[RateTable.Row]] = []
    /// The number of lines since the beginning.
    public private(set) var lines = 0

    let seconds: Int

    /// The most keys that are kept of a second, and the most characters of each.
    private static let mostRows = 100
    private static let longestKey = 120

    public init(seconds: Int = 60) { self.seconds = seconds }

    /// Adds the table of a second.
    public mutating func append(_ table: RateTable) {
        lines += table.total
        totals.append(table.total)
        rows.append(
            table.rows.prefix(RateHistory.mostRows).map { row in
                RateTable.Row(key: String(row.key.prefix(RateHistory.longestKey)), count: row.count)
            })
        if totals.count > seconds {
            totals.removeFirst()
            rows.removeFirst()
        }
    }

    /// The keys of all seconds that are kept.
    public var table: RateTable {
        RateTable(
            Dictionary(rows.joined().map { ($0.key, $0.count) }, uniquingKeysWith: +)
                .map { RateTable.Row(key: $0.key, count: $0.value) })
    }
}
