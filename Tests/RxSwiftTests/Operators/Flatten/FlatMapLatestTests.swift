// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct FlatMapLatestTests {
    private let inners = (0..<3).map { _ in PublishSubject<Int>() }
    private let log = EventLog()

    @Test("The next element ends the inner sequence before it") func picture() throws {
        try expectMarbles(
            source: "^1----2---------|",
            second: " ^-7-8-9|",
            result: "^--7-8--7-8-9---|",
            isCold: true
        ) { source, second, _ in source.flatMapLatest { _ in second } }
    }

    @Test("An error of the selector ends the result") func selectorThrows() {
        let numbers = PublishSubject<Int>()
        let inner = inners[0]
        _ = log.observe(
            numbers.flatMapLatest { number -> Observable<Int> in
                if number == 2 { throw NumberedFailure(2) }
                return inner
            })
        numbers.onNext(1)
        inner.onNext(10)
        numbers.onNext(2)
        #expect(log.text == "10 error(2)")
        #expect(!numbers.hasObservers && !inner.hasObservers)
    }

    @Test("Elements accepted before a switch are delivered") func acceptedElements() {
        let numbers = PublishSubject<Int>()
        let (log, inners) = (log, inners)
        _ = numbers.flatMapLatest { inners[$0] }.subscribe(onNext: { element in
            log.note("\(element)")
            if element == 1 {
                numbers.onNext(1)
                inners[0].onNext(9)
                inners[1].onNext(2)
                numbers.onNext(2)
                inners[1].onNext(9)
                inners[2].onNext(3)
            }
        })
        numbers.onNext(0)
        inners[0].onNext(1)
        #expect(log.text == "1 2 3")
    }

    @Test("No subscription follows a disposal in the selector") func selectorDisposes() {
        let numbers = PublishSubject<Int>()
        let subscription = SerialDisposable()
        let inner = inners[0]
        subscription.disposable = log.observe(
            numbers.flatMapLatest { _ -> Observable<Int> in
                subscription.dispose()
                return inner
            })
        numbers.onNext(0)
        #expect(!inner.hasObservers && log.text == "")
    }

    @Test("A million switches take bounded stack") func millionSwitches() {
        onEightMebibytes {
            nonisolated(unsafe) var count = 0
            _ = Observable.range(start: 0, count: 1_000_000).flatMapLatest { Observable.just($0) }
                .subscribe(onNext: { _ in count += 1 })
            #expect(count == 1_000_000)
        }
    }
}
