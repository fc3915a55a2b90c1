// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct FirstTests {
    @Test("The result is the first element or nil") func element() {
        #expect(events(of: sequence(1, 2).first().asObservable()) == ["Optional(1)", "completed"])
        #expect(events(of: Observable<Int>.empty().first().asObservable()) == ["nil", "completed"])
        #expect(events(of: Observable<Int>.error(Failure.expected).first().asObservable()) == ["error(expected)"])
    }

    @Test("The first element ends the subscription to the source") func sourceEnd() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.first().asObservable())
        subject.onNext(1)
        #expect(!subject.hasObservers && log.lines == ["Optional(1)", "completed"])
    }
}
