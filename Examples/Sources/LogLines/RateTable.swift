// SPDX-License-Identifier: Apache-2.0

/// The number of lines that each key had in a span of time.
public struct RateTable: Equatable, Sendable {
    public struct Row: Equatable, Sendable {
        public var key: String
        public var count: Int

        public init(key: String, count: Int) {
            self.key = key
            self.count = count
        }
    }

    /// The rows, the key with most lines first.
    public let rows: [Row]

    public init(_ rows: [Row]) {
        self.rows = rows.sorted { ($1.count, $0.key) < ($0.count, $1.key) }
    }

    public var total: Int { rows.reduce(0) { $0 + $1.count } }

    /// Returns the table as text: the total, and a row for each of the first `most` keys.
    public func text(most: Int) -> String {
        let width = "\(total)".count
        var text = "\(total) lines\n"
        for row in rows.prefix(most) {
            let count = "\(row.count)"
            text += "  " + String(repeating: " ", count: width - count.count) + count + "  \(row.key)\n"
        }
        if rows.count > most { text += "  and \(rows.count - most) more keys\n" }
        return text
    }
}
