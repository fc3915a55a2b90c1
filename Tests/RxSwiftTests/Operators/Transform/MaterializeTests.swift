// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct MaterializeTests {
    @Test("Events become elements") func elements() {
        #expect(events(of: sequence(1).materialize()) == ["next(next(1))", "next(completed)", "completed"])
        #expect(
            events(of: sequence(1, error: .expected).materialize()) == [
                "next(next(1))", "next(error(expected))", "completed",
            ])
    }

    @Test("Disposal at the last element drops the completion") func disposal() {
        let subject = PublishSubject<Int>()
        let log = EventLog { dispose in
            subject.materialize().do(afterNext: { event in if event.isStopEvent { dispose() } })
        }
        subject.onCompleted()
        #expect(log.lines == ["next(completed)"])
    }
}
