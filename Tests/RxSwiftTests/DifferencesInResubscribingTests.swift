// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// Deliberate differences from RxSwift in when a source is subscribed to anew.
@Suite struct DifferencesInResubscribingTests {
    @Test("Of several elements that answer an error only the first starts an attempt") func retryWhenAnswers() {
        let notes = EventLog()
        let source = Observable<Int>.create { observer in
            notes.note("attempt")
            observer.onError(Failure.expected)
            return Disposables.create()
        }
        let subscription = notes.observe(
            source.retry { (errors: Observable<any Error>) in
                errors.enumerated().flatMap { index, _ in
                    index == 0 ? Observable<Int>.never().startWith(1, 2) : .never()
                }
            })
        #expect(notes.lines == ["attempt", "attempt"])
        subscription.dispose()
    }

    @Test("The subscriber that gets the replay connects, and not one that comes within it")
    func connectionBehindReplay() {
        let notes = EventLog()
        let source = Observable<Int>.create { observer in
            notes.note("connected")
            observer.onNext(1)
            return Disposables.create()
        }
        let shared = source.share(replay: 1, scope: .forever)
        shared.subscribe().dispose()
        let bag = DisposeBag()
        var isFirst = true
        shared.subscribe(onNext: { _ in
            notes.note("outer")
            if isFirst {
                isFirst = false
                shared.subscribe(onNext: { _ in notes.note("inner") }).disposed(by: bag)
                notes.note("subscribed")
            }
        }).disposed(by: bag)
        #expect(notes.lines == ["connected", "outer", "inner", "subscribed", "connected", "outer", "inner"])
    }
}
