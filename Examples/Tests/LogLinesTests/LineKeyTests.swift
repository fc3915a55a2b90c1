// SPDX-License-Identifier: Apache-2.0

import LogLines
import Testing

struct LineKeyTests {
    private let line = #"10.0.0.1 - ann [t] "POST /cart HTTP/1.1" 304 12"#

    @Test(arguments: [
        (LineKey.CommonField.host, "10.0.0.1"), (.user, "ann"), (.method, "POST"), (.path, "/cart"), (.status, "304"),
    ])
    func isAPartOfTheCommonLogFormat(field: LineKey.CommonField, expected: String) {
        #expect(LineKey.common(field).key(of: line) == expected)
        #expect(LineKey.common(field).key(of: "no log line") == nil)
    }

    @Test(arguments: [(1, "one"), (2, "two"), (3, "three"), (4, nil)] as [(Int, String?)])
    func isTheNthWord(number: Int, expected: String?) {
        #expect(LineKey.word(number).key(of: "one two  three") == expected)
    }

    @Test func isWhatAPatternMatches() throws {
        #expect(LineKey.pattern(try Regex("ca[a-z]+")).key(of: line) == "cart")
        #expect(LineKey.pattern(try Regex("nothing")).key(of: line) == nil)
    }

    @Test func isAPatternsFirstGroup() throws {
        #expect(LineKey.pattern(try Regex(#""(\w+) (\S+)"#)).key(of: line) == "POST")
        #expect(LineKey.pattern(try Regex("304(x)?")).key(of: line) == nil)
    }
}
