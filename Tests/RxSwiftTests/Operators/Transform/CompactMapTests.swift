// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct CompactMapTests {
    @Test("Elements mapped to nil are dropped") func nils() {
        #expect(events(of: sequence("1", "a", "3").compactMap { Int($0) }) == ["1", "3", "completed"])
    }

    @Test("An error of the source comes through") func error() {
        #expect(events(of: sequence("1", error: .expected).compactMap { Int($0) }) == ["1", "error(expected)"])
    }

    @Test("An error of the closure ends the result") func closureThrows() {
        let source = sequence(1, 2, 3).compactMap { element throws -> Int? in
            if element == 2 { throw Failure.expected }
            return element
        }
        #expect(events(of: source) == ["1", "error(expected)"])
    }

    @Test("No event follows a disposal in the closure") func closureDisposes() {
        let subject = PublishSubject<Int>()
        let log = EventLog { dispose in
            subject.compactMap { element -> Int? in
                if element == 2 { dispose() }
                return element
            }
        }
        for element in 1...3 { subject.onNext(element) }
        #expect(log.lines == ["1"])
    }
}
