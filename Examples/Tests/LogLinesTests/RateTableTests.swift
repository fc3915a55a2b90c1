// SPDX-License-Identifier: Apache-2.0

import LogLines
import Testing

struct RateTableTests {
    private let table = RateTable([.init(key: "b", count: 2), .init(key: "c", count: 10), .init(key: "a", count: 2)])

    @Test func hasTheKeyWithMostLinesFirst() {
        #expect(table.rows.map(\.key) == ["c", "a", "b"])
        #expect(table.total == 14)
    }

    @Test func isText() {
        #expect(table.text(most: 3) == "14 lines\n  10  c\n   2  a\n   2  b\n")
        #expect(table.text(most: 1) == "14 lines\n  10  c\n  and 2 more keys\n")
        #expect(RateTable([]).text(most: 5) == "0 lines\n")
    }
}
