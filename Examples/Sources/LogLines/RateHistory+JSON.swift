// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension RateHistory {
    /// Returns the history for a browser, as one line of JSON.
    ///
    /// - Parameters:
    ///   - file: the name of the log.
    ///   - most: how many keys it has at most.
    public func json(file: String, most: Int) -> String {
        let table = table
        let content = Content(
            file: file, seconds: seconds, totals: totals, lines: lines, keys: table.rows.count,
            rows: table.rows.prefix(most).map { Content.Row(key: $0.key, count: $0.count) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let json = try? encoder.encode(content) else { fatalError("texts and numbers are always encodable") }
        return String(decoding: json, as: UTF8.self)
    }

    private struct Content: Encodable {
        struct Row: Encodable {
            let key: String
            let count: Int
        }

        let file: String
        let seconds: Int
        let totals: [Int]
        let lines: Int
        let keys: Int
        let rows: [Row]
    }
}
