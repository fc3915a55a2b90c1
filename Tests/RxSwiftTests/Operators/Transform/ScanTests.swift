// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct ScanTests {
    @Test("Each intermediate result is sent") func results() {
        #expect(
            events(of: sequence(1, 2, 3).scan(10) { $0 + $1 }) == ["11", "13", "16", "completed"])
        let inPlace = sequence(1, 2).scan(into: [Int]()) { $0.append($1) }
        #expect(events(of: inPlace) == ["[1]", "[1, 2]", "completed"])
    }

    @Test("Each subscription starts from the seed") func seed() {
        let source = sequence(1, 2).scan(into: [Int]()) { $0.append($1) }
        #expect(events(of: source) == events(of: source))
    }

    @Test("An error of the source comes through") func error() {
        #expect(events(of: sequence(1, error: .expected).scan(0) { $0 + $1 }) == ["1", "error(expected)"])
    }

    @Test("An error of the closure ends the result") func closureThrows() {
        let source = sequence(1, 2, 3).scan(0) { sum, element in
            if element == 2 { throw Failure.expected }
            return sum + element
        }
        #expect(events(of: source) == ["1", "error(expected)"])
    }

    @Test("No event follows a disposal in the closure") func closureDisposes() {
        let subject = PublishSubject<Int>()
        let log = EventLog { dispose in
            subject.scan(0) { sum, element in
                if element == 2 { dispose() }
                return sum + element
            }
        }
        for element in 1...3 { subject.onNext(element) }
        #expect(log.lines == ["1"])
    }

    @Test("Values that were sent do not change later") func earlierValues() {
        var seen: [[Int]] = []
        _ = sequence(1, 2, 3).scan(into: [Int]()) { $0.append($1) }.subscribe(onNext: { seen.append($0) })
        #expect(seen == [[1], [1, 2], [1, 2, 3]])
    }
}
