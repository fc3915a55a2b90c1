// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct ConcatMapTests {
    private let inners = (0..<3).map { _ in PublishSubject<Int>() }
    private let log = EventLog()

    @Test("The inner sequence of a later element waits") func picture() throws {
        try expectMarbles(
            source: "^1----2---------|",
            second: " ^-7-8-9|",
            result: "^--7-8-9--7-8-9-|",
            isCold: true
        ) { source, second, _ in source.concatMap { _ in second } }
    }

    @Test("The selector runs at once, and its sequences run in order") func order() {
        let numbers = PublishSubject<Int>()
        let (log, inners) = (log, inners)
        let subscription = log.observe(
            numbers.concatMap { number -> Observable<Int> in
                log.note("made\(number)")
                return inners[number]
            })
        numbers.onNext(0)
        numbers.onNext(1)
        inners[0].onNext(10)
        inners[0].onCompleted()
        inners[1].onNext(11)
        #expect(log.text == "made0 made1 10 11")
        subscription.dispose()
    }

    @Test("An error of the selector ends the result") func selectorThrows() {
        let numbers = PublishSubject<Int>()
        _ = log.observe(numbers.concatMap { number -> Observable<Int> in throw NumberedFailure(number) })
        numbers.onNext(3)
        numbers.onNext(4)
        #expect(log.text == "error(3)" && !numbers.hasObservers)
    }

    @Test("No subscription follows a disposal in the selector") func selectorDisposes() {
        let numbers = PublishSubject<Int>()
        let subscription = SerialDisposable()
        let inner = inners[0]
        subscription.disposable = log.observe(
            numbers.concatMap { _ -> Observable<Int> in
                subscription.dispose()
                return inner
            })
        numbers.onNext(0)
        #expect(!inner.hasObservers && log.text == "")
    }

    @Test("A million waiting sequences take bounded stack") func millionWaiting() {
        onEightMebibytes {
            let numbers = PublishSubject<Int>()
            let first = PublishSubject<Int>()
            nonisolated(unsafe) var count = 0
            let source = numbers.concatMap { $0 == 0 ? first.asObservable() : Observable.just($0) }
            _ = source.subscribe(onNext: { _ in count += 1 })
            for number in 0...1_000_000 { numbers.onNext(number) }
            #expect(count == 0)
            first.onCompleted()
            #expect(count == 1_000_000)
        }
    }

    @Test("Recursion goes five thousand deep") func recursion() {
        @Sendable func counting(down from: Int) -> Observable<Int> {
            from == 0 ? .just(0) : Observable.just(from).concatMap { counting(down: $0 - 1) }
        }
        onEightMebibytes {
            #expect(text(of: counting(down: recursionDepth)) == "0 completed")
        }
    }
}
