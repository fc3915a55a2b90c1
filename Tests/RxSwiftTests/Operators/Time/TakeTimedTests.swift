// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct TakeTimedTests {
    @Test("The result completes after 25 ticks") func end() throws {
        try expectMarbles(
            source: "1---------^-2-3-4-|",
            result: "          ^-2-3|",
            active: "          ^----!",
            ticks: 5
        ) { $0.take(for: .seconds(25), scheduler: $1) }
    }

    @Test("A duration of zero takes one tick") func zero() throws {
        try expectMarbles(
            source: "1^---------2---------3---------4",
            result: " ^|",
            active: " ^!",
            ticks: 1
        ) { $0.take(for: .seconds(0), scheduler: $1) }
    }

    @Test("An error within the duration comes through") func error() throws {
        try expectMarbles(
            source: "1----^#",
            result: "     ^#"
        ) { $0.take(for: .seconds(50), scheduler: $1) }
    }

    @Test("Completion within the duration comes through") func completion() throws {
        try expectMarbles(
            source: "1----^234|",
            result: "     ^234|",
            active: "     ^---!"
        ) { $0.take(for: .seconds(50), scheduler: $1) }
    }
}
