// SPDX-License-Identifier: Apache-2.0

import Testing
import TypeAhead

struct LineIndexTests {
    private let index = LineIndex(["remap", "flat Map", "MAP it", "other", "日本語 map", "xmap map"])

    @Test("Lines that begin with the query come first, then those with a word that does")
    func ranking() {
        let results = index.find("map", limit: 10)
        #expect(results.lines == ["MAP it", "flat Map", "日本語 map", "xmap map", "remap"])
        #expect(results.total == 5 && results.query == "map")
    }

    @Test("All lines are counted, and the best are returned")
    func limit() {
        #expect(index.find("map", limit: 2) == SearchResults(query: "map", lines: ["MAP it", "flat Map"], total: 5))
    }

    @Test(
        "Other queries",
        arguments: [("", 0), ("nowhere", 0), ("本", 1), ("FLAT M", 1), ("a longer text than any line", 0)])
    func totals(query: String, total: Int) {
        #expect(index.find(query, limit: 10).total == total)
    }

    @Test("The list of operators has an order, and a sentence for each of them")
    func operators() {
        #expect(operatorList.allSatisfy { $0.contains(": ") && $0.columns < 100 })
        #expect(Set(operatorList).count == operatorList.count)
    }
}
