// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogLines

/// Shows tables: on a terminal each table replaces the one before, elsewhere they follow each other.
struct Screen {
    let rows: Int
    let isTerminal: Bool

    func show(_ table: RateTable) {
        // Moves the cursor home and clears the screen below it.
        if isTerminal { print("\u{1B}[H\u{1B}[J", terminator: "") }
        print("\(time) \(table.text(most: rows))", terminator: "")
        fflush(stdout)
    }

    private var time: String {
        var seconds = time_t()
        Glibc.time(&seconds)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return [parts.tm_hour, parts.tm_min, parts.tm_sec]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }
}
