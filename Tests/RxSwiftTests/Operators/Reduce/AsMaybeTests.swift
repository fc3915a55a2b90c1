// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct AsMaybeTests {
    @Test("The only element comes at the end") func element() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.asMaybe().asObservable())
        subject.onNext(1)
        #expect(log.lines == [])
        subject.onCompleted()
        #expect(log.lines == ["1", "completed"])
    }

    @Test("No element completes, and two fail") func numbers() {
        #expect(text(of: Observable<Int>.empty().asMaybe().asObservable()) == "completed")
        #expect(text(of: sequence(1, 2).asMaybe().asObservable()) == "error(\(RxError.moreThanOneElement))")
        #expect(text(of: sequence(1, error: .expected).asMaybe().asObservable()) == "error(expected)")
        #expect(text(of: Observable<Int>.never().asMaybe().asObservable()) == "")
    }

    @Test("The second element ends the subscription to the source") func secondElement() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.asMaybe().asObservable())
        subject.onNext(1)
        #expect(subject.hasObservers)
        subject.onNext(2)
        #expect(!subject.hasObservers)
        #expect(log.lines == ["error(\(RxError.moreThanOneElement))"])
    }

    @Test("Disposal at the element drops the completion") func disposal() {
        let subject = PublishSubject<Int>()
        let subscription = SerialDisposable()
        nonisolated(unsafe) var log: [String] = []
        subscription.disposable = subject.asMaybe().asObservable().subscribe { event in
            log.append("\(event)")
            subscription.dispose()
        }
        subject.onNext(1)
        subject.onCompleted()
        #expect(log == ["next(1)"])
    }

    @Test("A released subject releases the subscriber") func releasedSubject() {
        weak var token: ReleaseToken?
        do {
            let subject = PublishSubject<Int>()
            let captured = ReleaseToken()
            token = captured
            _ = subject.asMaybe().subscribe(onSuccess: { _ in _ = captured })
        }
        #expect(token == nil)
    }
}
