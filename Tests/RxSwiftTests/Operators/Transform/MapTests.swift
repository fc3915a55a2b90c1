// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct MapTests {
    @Test("Each result comes at the time of its element") func picture() throws {
        try expectMarbles(
            source: "1-2-^3--4-5--6|",
            result: "    ^6--7-8--9|",
            active: "    ^---------!"
        ) { source, _ in source.map { $0 + 3 } }
        try expectMarbles(
            source: "1-2-^3--4#",
            result: "    ^6--7#",
            active: "    ^----!"
        ) { source, _ in source.map { $0 + 3 } }
    }

    @Test("The closure runs once per element and subscription, in order") func calls() {
        var seen: [Int] = []
        let source = sequence(1, 2).map { number in
            seen.append(number)
            return number * 10
        }
        #expect(events(of: source) == ["10", "20", "completed"])
        #expect(seen == [1, 2])
        #expect(events(of: source) == ["10", "20", "completed"])
        #expect(seen == [1, 2, 1, 2])
    }

    @Test("An error that the closure throws ends the result and the subscription") func throwing() {
        let subject = PublishSubject<Int>()
        var seen: [Int] = []
        let log = EventLog(
            subject.map { number in
                seen.append(number)
                if number == 2 { throw Failure.expected }
                return "<\(number)>"
            })
        for number in 1...3 { subject.onNext(number) }
        subject.onCompleted()
        #expect(log.lines == ["<1>", "error(expected)"])
        #expect(seen == [1, 2])
        #expect(!subject.hasObservers)
    }

    @Test("A result that is nil is an element") func optionalResults() {
        let source = sequence("1", "a").map { Int($0) }
        #expect(events(of: source) == ["Optional(1)", "nil", "completed"])
    }

    /// Rows of three and more run in one stage, but only for elements that are plain bytes.
    @Test("A row of maps finishes each element before the next", arguments: 1...5) func row(length: Int) {
        var numberCalls: [String] = []
        var textCalls: [String] = []
        var numbers = sequence(1, 2, 3)
        var texts = sequence("1", "2", "3")
        for place in 0..<length {
            numbers = numbers.map { number in
                numberCalls.append("\(number) at \(place)")
                return number * 10 + place
            }
            texts = texts.map { text in
                textCalls.append("\(text) at \(place)")
                return text + "\(place)"
            }
        }
        let digits = (0..<length).map { "\($0)" }
        var calls: [String] = []
        for element in ["1", "2", "3"] {
            calls += (0..<length).map { element + digits[..<$0].joined() + " at \($0)" }
        }
        let expected = ["1", "2", "3"].map { $0 + digits.joined() } + ["completed"]
        #expect(events(of: numbers) == expected)
        #expect(events(of: texts) == expected)
        #expect(numberCalls == calls)
        #expect(textCalls == calls)
    }

    @Test("A row passes on elements that have no bytes") func emptyElements() {
        struct Empty {}
        var calls = 0
        let source = sequence(1, 2).map { _ in () }.map { Empty() }.filter { _ in true }.map { _ in
            calls += 1
            return calls
        }
        #expect(events(of: source) == ["1", "2", "completed"])
    }

    @Test("A row that ends in counted references releases its results") func releasedResults() {
        var releases = 0
        let source = sequence(1, 2).map { $0 + 1 }.map { $0 * 2 }.map { $0 - 1 }.map { number in
            ReleaseToken(number) { releases += 1 }
        }
        let log = EventLog(source.map { "\($0)" }.do(onNext: { _ in }))
        #expect(log.lines == ["3", "5", "completed"])
        #expect(releases == 2)
    }
}
