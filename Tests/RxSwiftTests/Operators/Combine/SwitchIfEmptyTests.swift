// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct SwitchIfEmptyTests {
    @Test("The other sequence follows only an empty one") func other() {
        #expect(
            events(of: Observable.empty().ifEmpty(switchTo: sequence(1, 2))) == ["1", "2", "completed"])
        #expect(events(of: sequence(3).ifEmpty(switchTo: sequence(1))) == ["3", "completed"])
        #expect(events(of: sequence(error: .expected).ifEmpty(switchTo: .just(1))) == ["error(expected)"])
        #expect(events(of: Observable<Int>.empty().ifEmpty(switchTo: .error(Failure.other))) == ["error(other)"])
    }

    @Test("Disposal ends the subscription to the current sequence") func disposal() {
        let source = PublishSubject<Int>()
        let other = PublishSubject<Int>()
        let first = EventLog(source.ifEmpty(switchTo: other))
        #expect(source.hasObservers && !other.hasObservers)
        first.dispose()
        #expect(!source.hasObservers)
        let second = EventLog(source.ifEmpty(switchTo: other))
        source.onCompleted()
        #expect(other.hasObservers)
        other.onNext(1)
        second.dispose()
        #expect(!other.hasObservers && second.lines == ["1"])
    }

    @Test("The end releases the subscriber") func release() {
        weak var released: ReleaseToken?
        let other = PublishSubject<Int>()
        let log: EventLog
        do {
            let token = ReleaseToken()
            released = token
            log = EventLog(
                Observable.empty().ifEmpty(switchTo: other).map { element in withExtendedLifetime(token) { element } })
        }
        #expect(released != nil)
        other.onNext(1)
        other.onCompleted()
        #expect(log.lines == ["1", "completed"] && released == nil)
    }
}
