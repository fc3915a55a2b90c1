// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct ReduceTests {
    @Test("The result comes at the end") func result() {
        #expect(events(of: sequence(1, 2, 3).reduce(10) { $0 + $1 }) == ["16", "completed"])
        #expect(
            events(of: sequence(1, 2).reduce(0, accumulator: { $0 + $1 }, mapResult: { "sum \($0)" })) == [
                "sum 3", "completed",
            ])
        #expect(events(of: Observable<Int>.empty().reduce(10) { $0 + $1 }) == ["10", "completed"])
    }

    @Test("An error of the source comes through") func error() {
        #expect(events(of: sequence(1, error: .expected).reduce(0) { $0 + $1 }) == ["error(expected)"])
    }

    @Test("An error of a closure ends the result") func closureThrows() {
        let accumulator: @Sendable (Int, Int) throws -> Int = { _, _ in throw Failure.expected }
        #expect(events(of: sequence(1, 2).reduce(0, accumulator: accumulator)) == ["error(expected)"])
        let mapResult: @Sendable (Int) throws -> Int = { _ in throw Failure.other }
        #expect(events(of: sequence(1).reduce(0, accumulator: { $0 + $1 }, mapResult: mapResult)) == ["error(other)"])
    }

    @Test("No event follows a disposal in the accumulator") func closureDisposes() {
        let subject = PublishSubject<Int>()
        var calls = 0
        let log = EventLog { dispose in
            subject.reduce(0) { sum, element in
                calls += 1
                dispose()
                return sum + element
            }
        }
        subject.onNext(1)
        subject.onNext(2)
        subject.onCompleted()
        #expect(calls == 1 && log.lines == [])
    }

    @Test("Disposal at the result drops the completion") func disposal() {
        let subject = PublishSubject<Int>()
        let log = EventLog { dispose in subject.reduce(0) { $0 + $1 }.do(afterNext: { _ in dispose() }) }
        subject.onCompleted()
        #expect(log.lines == ["0"])
    }
}
