// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct SingleElementTests {
    @Test("The only element comes at once, and completion follows that of the source") func onlyElement() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.single())
        subject.onNext(1)
        #expect(log.lines == ["1"])
        subject.onCompleted()
        #expect(log.lines == ["1", "completed"])
    }

    @Test("No element or more than one end the result with an error") func otherNumbers() {
        #expect(events(of: sequence(1, 2, 3).single()) == ["1", "error(\(RxError.moreThanOneElement))"])
        #expect(events(of: Observable<Int>.empty().single()) == ["error(\(RxError.noElements))"])
        #expect(events(of: sequence(1, 2, 3).single { $0 > 3 }) == ["error(\(RxError.noElements))"])
        #expect(events(of: sequence(1, 2, 3).single { $0 > 1 }) == ["2", "error(\(RxError.moreThanOneElement))"])
        #expect(events(of: sequence(1, 2, 3).single { $0 == 2 }) == ["2", "completed"])
    }

    @Test("Errors of the source and of the predicate end the result") func errors() {
        #expect(events(of: sequence(1, error: .expected).single()) == ["1", "error(expected)"])
        #expect(events(of: sequence(1).single { _ in throw Failure.other }) == ["error(other)"])
    }
}
