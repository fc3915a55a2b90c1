// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct StartWithTests {
    @Test("The first elements come before the subscription to the source") func order() {
        let log = EventLog()
        let source = Observable<Int>.create { observer in
            log.note("subscribed")
            observer.onNext(3)
            observer.onCompleted()
            return Disposables.create()
        }
        _ = log.observe(source.startWith(1, 2))
        #expect(log.lines == ["1", "2", "subscribed", "3", "completed"])
    }

    @Test("An error of the source comes through") func error() {
        #expect(events(of: sequence(2, error: .expected).startWith(1)) == ["1", "2", "error(expected)"])
    }

    @Test("The source is subscribed to and disposed of when `take` needs only the first elements") func satisfied() {
        let log = EventLog()
        let source = Observable<Int>.create { observer in
            log.note("subscribed")
            observer.onNext(3)
            return Disposables.create { log.note("disposed") }
        }
        _ = log.observe(source.startWith(1, 2).take(1))
        #expect(log.lines == ["1", "completed", "subscribed", "disposed"])
        #expect(events(of: Observable.just(2).startWith(1).take(1)) == ["1", "completed"])
    }

    @Test("Disposal ends the subscription to the source") func disposal() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.startWith(1))
        subject.onNext(2)
        log.dispose()
        #expect(log.lines == ["1", "2"] && !subject.hasObservers)
    }
}
