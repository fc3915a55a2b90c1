// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct FilterTests {
    @Test("The elements that satisfy the predicate come through at once") func picture() throws {
        try expectMarbles(
            source: "1-2-^3--4-5--6-7-8|",
            result: "    ^---4----6---8|",
            active: "    ^-------------!"
        ) { source, _ in source.filter { $0.isMultiple(of: 2) } }
    }

    @Test("The end of the source comes through if no element does") func noElements() {
        #expect(events(of: sequence(1, 2).filter { _ in false }) == ["completed"])
        #expect(events(of: sequence(1, 2, error: .expected).filter { _ in false }) == ["error(expected)"])
    }

    @Test("The predicate runs once per element and subscription, in order") func calls() {
        var seen: [Int] = []
        let source = sequence(1, 2, 3).filter { number in
            seen.append(number)
            return number != 2
        }
        #expect(events(of: source) == ["1", "3", "completed"])
        #expect(seen == [1, 2, 3])
        #expect(events(of: source) == ["1", "3", "completed"])
        #expect(seen == [1, 2, 3, 1, 2, 3])
    }

    @Test("An error that the predicate throws ends the result and the subscription") func throwing() {
        let subject = PublishSubject<Int>()
        var seen: [Int] = []
        let log = EventLog(
            subject.filter { number in
                seen.append(number)
                if number == 2 { throw Failure.expected }
                return true
            })
        for number in 1...3 { subject.onNext(number) }
        subject.onCompleted()
        #expect(log.lines == ["1", "error(expected)"])
        #expect(seen == [1, 2])
        #expect(!subject.hasObservers)
    }

    /// Rows of three and more run in one stage, but only for elements that are plain bytes.
    @Test("A row of filters tests each element as far as the first that drops it", arguments: 1...5)
    func row(length: Int) {
        let (numbers, numberCalls) = Self.outcome(Array(0..<20), length: length) { $0 }
        let (texts, textCalls) = Self.outcome((0..<20).map { "\($0)" }, length: length) { Int($0) ?? 0 }
        var calls: [String] = []
        var expected: [String] = []
        for number in 0..<20 {
            let dropping = (0..<length).first { number % ($0 + 2) == 0 }
            calls += (0...(dropping ?? length - 1)).map { "\(number) at \($0)" }
            if dropping == nil { expected.append("\(number)") }
        }
        #expect(numbers == expected + ["completed"] && texts == expected + ["completed"])
        #expect(numberCalls == calls && textCalls == calls)
    }

    /// Runs elements through a row of filters; the one at place n drops the multiples of n + 2.
    private static func outcome<Element>(
        _ elements: [Element], length: Int, number: @escaping (Element) -> Int
    ) -> (events: [String], calls: [String]) {
        var calls: [String] = []
        var row = Observable.from(elements)
        for place in 0..<length {
            row = row.filter { element in
                calls.append("\(element) at \(place)")
                return number(element) % (place + 2) != 0
            }
        }
        return (events(of: row), calls)
    }
}
