// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct SkipWhileTests {
    @Test("All elements come from the first that fails the predicate") func predicate() {
        var calls = 0
        let source = sequence(1, 2, 1).skip(while: {
            calls += 1
            return $0 < 2
        })
        #expect(events(of: source) == ["2", "1", "completed"])
        #expect(calls == 2)
    }

    @Test("An error of the source comes through") func error() {
        #expect(events(of: sequence(1, error: .expected).skip(while: { _ in true })) == ["error(expected)"])
    }

    @Test("An error of the predicate ends the result") func closureThrows() {
        #expect(events(of: sequence(1, 2).skip(while: { _ in throw Failure.expected })) == ["error(expected)"])
    }

    @Test("No event follows a disposal in the predicate") func closureDisposes() {
        let subject = PublishSubject<Int>()
        let log = EventLog { dispose in
            subject.skip(while: { _ in
                dispose()
                return false
            })
        }
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.lines == [])
    }
}
