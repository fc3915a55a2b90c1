// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct AsSingleTests {
    @Test("The only element comes at the end") func element() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.asSingle().asObservable())
        subject.onNext(1)
        #expect(log.lines == [])
        subject.onCompleted()
        #expect(log.lines == ["1", "completed"])
    }

    @Test("No element and more than one fail") func otherNumbers() {
        #expect(events(of: sequence(1, 2, 3).asSingle().asObservable()) == ["error(\(RxError.moreThanOneElement))"])
        #expect(events(of: Observable<Int>.empty().asSingle().asObservable()) == ["error(\(RxError.noElements))"])
        #expect(events(of: sequence(1, error: .expected).asSingle().asObservable()) == ["error(expected)"])
    }
}
