// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct FromTests {
    /// A sequence of integers that counts its iterators and their steps.
    private final class Counted: Sequence, @unchecked Sendable {
        let last: Int
        private(set) var iterators = 0
        private(set) var steps = 0
        weak var token: ReleaseToken?

        init(last: Int) { self.last = last }

        func makeIterator() -> AnyIterator<Int> {
            iterators += 1
            let token = ReleaseToken()
            self.token = token
            var number = 0
            return AnyIterator {
                withExtendedLifetime(token) {}
                self.steps += 1
                number += 1
                return number <= self.last ? number : nil
            }
        }
    }

    @Test("Without elements the result completes") func noElements() {
        #expect(events(of: Observable<Int>.of()) == ["completed"])
        #expect(events(of: Observable<Int>.from([])) == ["completed"])
        #expect(events(of: Observable<Int>.from(EmptyCollection<Int>())) == ["completed"])
    }

    @Test("The elements come in the order of the collection") func order() {
        #expect(events(of: Observable.of(3, 1, 2)) == ["3", "1", "2", "completed"])
        #expect(events(of: Observable.from([3, 1, 2])) == ["3", "1", "2", "completed"])
        #expect(events(of: Observable.from([3, 1, 2][1...])) == ["1", "2", "completed"])
        #expect(events(of: Observable.from(stride(from: 3, to: 0, by: -1))) == ["3", "2", "1", "completed"])
    }

    @Test("An element may be nil") func optionalElements() {
        let elements: [Int?] = [nil, 1]
        let expected = ["nil", "Optional(1)", "completed"]
        #expect(events(of: Observable.from(elements)) == expected)
        #expect(events(of: Observable.from(AnySequence(elements))) == expected)
    }

    @Test("A Swift sequence is iterated anew at each subscription") func subscriptions() {
        let sequence = Counted(last: 2)
        let source = Observable.from(sequence)
        #expect(sequence.iterators == 0)
        #expect(events(of: source) == ["1", "2", "completed"])
        #expect(events(of: source) == ["1", "2", "completed"])
        #expect(sequence.iterators == 2)
        #expect(sequence.steps == 6, "an iterator is not asked again after its end")
    }

    @Test("An endless Swift sequence is iterated only for the elements that are taken") func endless() {
        let sequence = Counted(last: .max)
        let log = EventLog(Observable.from(sequence).take(3))
        #expect(log.lines == ["1", "2", "3", "completed"])
        #expect(sequence.steps == 3)
        #expect(sequence.token == nil, "the end releases the iterator")
        log.dispose()
    }

    @Test("A lazy transformation runs for each element as it is sent") func lazy() {
        let log = EventLog()
        let squares = (1...3).lazy.map { number in
            log.note("square \(number)")
            return number * number
        }
        log.observe(Observable<Int>.from(squares).take(2)).dispose()
        #expect(log.lines == ["square 1", "1", "square 2", "4", "completed"])
    }

    @Test("Each event takes a step of the scheduler") func steps() throws {
        try expectMarbles(result: "^123|", ticks: 1) { .of(1, 2, 3, scheduler: $0) }
        try expectMarbles(result: "^123|", ticks: 1) { .from([1, 2, 3], scheduler: $0) }
        try expectMarbles(result: "^123|", ticks: 1) { .from(AnySequence([1, 2, 3]), scheduler: $0) }
    }

    @Test("Disposal between two steps asks the iterator for no more") func disposal() throws {
        let sequence = Counted(last: .max)
        try expectMarbles(result: "^12", ticks: 1, disposed: 203) { .from(sequence, scheduler: $0) }
        #expect(sequence.steps == 2)
    }

    @Test("No operator runs for an element whose sequence disposed of the subscription", arguments: [false, true])
    func disposal(isCollection: Bool) {
        let scheduler = StepScheduler()
        nonisolated(unsafe) var transformed: [Int] = []
        let log = EventLog { dispose in
            let elements = (0..<3).lazy.map { element -> Int in
                if element == 1 { dispose() }
                return element
            }
            let source =
                isCollection
                ? Observable<Int>.from(elements, scheduler: scheduler)
                : Observable<Int>.from(AnySequence(elements), scheduler: scheduler)
            return source.map { element in
                transformed.append(element)
                return element
            }
        }
        for _ in 0..<3 { scheduler.step() }
        #expect(log.lines == ["0"])
        #expect(transformed == [0])
    }
}
