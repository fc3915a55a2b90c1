// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct TakeWhileTests {
    @Test("The first element that fails the predicate ends the result") func predicate() {
        #expect(events(of: sequence(1, 2, 3, 1).take(while: { $0 < 3 })) == ["1", "2", "completed"])
        #expect(
            events(of: sequence(1, 3, 1).take(while: { $0 < 3 }, behavior: .inclusive)) == [
                "1", "3", "completed",
            ])
    }

    @Test("`take(until:)` ends at the first element that meets the predicate") func until() {
        #expect(events(of: sequence(1, 2, 3, 1).take(until: { $0 == 3 })) == ["1", "2", "completed"])
        #expect(
            events(of: sequence(1, 3, 1).take(until: { $0 == 3 }, behavior: .inclusive)) == [
                "1", "3", "completed",
            ])
    }

    @Test("An earlier end of the source comes through") func earlierEnd() {
        #expect(events(of: sequence(1).take(while: { _ in true })) == ["1", "completed"])
        #expect(events(of: sequence(1, error: .expected).take(while: { _ in true })) == ["1", "error(expected)"])
    }

    @Test("An error of the predicate ends the result") func closureThrows() {
        #expect(events(of: sequence(1).take(while: { _ in throw Failure.expected })) == ["error(expected)"])
        #expect(events(of: sequence(1).take(until: { _ in throw Failure.expected })) == ["error(expected)"])
    }

    @Test("No event follows a disposal in the predicate", arguments: [true, false])
    func closureDisposes(result: Bool) {
        let subject = PublishSubject<Int>()
        var completions = 0
        let log = EventLog { dispose in
            subject.take(
                while: { element in
                    if element == 2 { dispose() }
                    return element == 1 || result
                }, behavior: .inclusive
            ).do(onCompleted: { completions += 1 })
        }
        for element in 1...3 { subject.onNext(element) }
        #expect(log.lines == ["1"] && completions == 0)
    }
}
