// SPDX-License-Identifier: Apache-2.0

import LogLines
import Testing

struct RateHistoryTests {
    private func table(_ rows: [String: Int]) -> RateTable {
        RateTable(rows.map { RateTable.Row(key: $0.key, count: $0.value) })
    }

    @Test("The oldest second is forgotten, the number of all lines is not") func seconds() {
        var history = RateHistory(seconds: 2)
        for count in 1...3 { history.append(table(["/": count])) }
        #expect(history.totals == [2, 3])
        #expect(history.lines == 6)
        #expect(history.table == table(["/": 5]))
    }

    @Test("Of keys that are many or long, some and a part is kept") func bound() {
        var history = RateHistory()
        history.append(RateTable((0..<1_000).map { .init(key: "\($0)", count: 1) }))
        history.append(table([String(repeating: "k", count: 1_000): 9]))
        #expect(history.totals == [1_000, 9])
        #expect(history.table.rows.count == 101)
        #expect(history.table.rows[0] == .init(key: String(repeating: "k", count: 120), count: 9))
    }

    @Test("The history is a line of JSON") func json() {
        var history = RateHistory(seconds: 5)
        history.append(table(["/a\n\"b\"": 2, "/": 1]))
        #expect(
            history.json(file: "x.log", most: 1)
                == #"{"file":"x.log","keys":2,"lines":3,"rows":[{"count":2,"key":"\/a\n\"b\""}],"seconds":5,"totals":[3]}"#
        )
    }
}
