// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct SkipTimedTests {
    @Test("Elements of the first 15 ticks are dropped") func begin() throws {
        try expectMarbles(
            source: "1---------^-2-3-4-|",
            result: "          ^---3-4-|",
            active: "          ^-------!",
            ticks: 5
        ) { $0.skip(.seconds(15), scheduler: $1) }
    }

    @Test("A duration of zero drops none of the later elements") func zero() throws {
        try expectMarbles(
            source: "1----^234|",
            result: "     ^234|"
        ) { $0.skip(.seconds(0), scheduler: $1) }
    }

    @Test("An error within the duration comes through") func error() throws {
        try expectMarbles(
            source: "1----^#",
            result: "     ^#",
            active: "     ^!"
        ) { $0.skip(.seconds(50), scheduler: $1) }
    }
}
