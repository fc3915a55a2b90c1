// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct SerializedSinkTests {
    /// A sequence whose observer the test keeps.
    private final class KeptObserver<Element>: @unchecked Sendable {
        private(set) var observer: AnyObserver<Element>!
        private(set) lazy var observable = Observable<Element>.create { [unowned self] in
            observer = $0
            return Disposables.create()
        }
    }

    @Test("Events from inside a callback follow it in order of acceptance") func orderOfAcceptance() {
        let source = KeptObserver<Int>()
        let log = EventLog()
        let subscription = source.observable.subscribe { (event: Event<Int>) in
            log.note("(\(event)")
            if case .next(1) = event {
                source.observer.onNext(2)
                source.observer.onNext(3)
            }
            if case .next(2) = event {
                source.observer.onNext(4)
                source.observer.onCompleted()
                source.observer.onNext(5)
            }
            log.note(")")
        }
        source.observer.onNext(1)
        #expect(log.text == "(next(1) ) (next(2) ) (next(3) ) (next(4) ) (completed )")
        subscription.dispose()
    }

    @Test("An error does not overtake elements and ends the sequence") func errorOrder() {
        let source = KeptObserver<Int>()
        let log = EventLog()
        _ = log.observe(
            source.observable.do(onNext: {
                if $0 == 1 {
                    source.observer.onNext(2)
                    source.observer.onError(NumberedFailure(7))
                    source.observer.onNext(3)
                    source.observer.onCompleted()
                }
            }))
        source.observer.onNext(1)
        #expect(log.text == "1 2 error(7)")
    }

    @Test("dispose releases the downstream although the observer is kept") func disposeReleases() {
        let source = KeptObserver<Int>()
        weak var token: ReleaseToken?
        var subscription: (any Disposable)?
        do {
            let captured = ReleaseToken()
            token = captured
            subscription = source.observable.subscribe(onNext: { _ in withExtendedLifetime(captured) {} })
        }
        source.observer.onNext(1)
        #expect(token != nil)
        subscription?.dispose()
        #expect(token == nil)
        source.observer.onNext(2)
    }

    @Test("A terminal event releases the downstream although the observer is kept", arguments: [false, true])
    func endReleases(fails: Bool) {
        let source = KeptObserver<Int>()
        weak var token: ReleaseToken?
        do {
            let captured = ReleaseToken()
            token = captured
            _ = source.observable.subscribe { (_: Event<Int>) in withExtendedLifetime(captured) {} }
        }
        #expect(token != nil)
        if fails { source.observer.onError(NumberedFailure()) } else { source.observer.onCompleted() }
        #expect(token == nil)
    }

    /// The race: an event is enqueued after the drainer has looked, and before the serializer closes.
    @Test("A closing sink releases its pending events") func closingRelease() {
        let source = KeptObserver<ReleaseToken>()
        let released = EventLog()
        let subscription = SingleAssignmentDisposable()
        subscription.setDisposable(
            source.observable.subscribe(onNext: { token in
                if token.number == 1 { source.observer.onNext(ReleaseToken(2)) }
                if token.number == 2 {
                    source.observer.onNext(ReleaseToken(3) { released.note("3") })
                    subscription.dispose()
                }
            }))
        source.observer.onNext(ReleaseToken(1))
        #expect(released.text == "3")
        #expect(source.observer != nil)
    }

    @Test("Events of several threads keep the order of each thread", arguments: [2, 4, 8]) func storm(threads: Int) {
        let source = KeptObserver<(thread: Int, number: Int)>()
        let overlap = OverlapDetector()
        nonisolated(unsafe) var next = Array(repeating: 0, count: threads)
        nonisolated(unsafe) var faults = 0
        let completions = AtomicCounter(0)
        let left = AtomicCounter(threads)
        _ = source.observable.subscribe(
            onNext: { thread, number in
                overlap.enter()
                if next[thread] != number || completions.value != 0 { faults += 1 }
                next[thread] = number + 1
                overlap.leave()
            }, onCompleted: { completions.increment() })
        let each = 40_000 / threads
        race(
            (0..<threads).map { thread in
                {
                    for number in 0..<each { source.observer.onNext((thread, number)) }
                    if left.decrement() == 0 { source.observer.onCompleted() }
                }
            })
        #expect(settles { completions.value == 1 } && faults == 0 && !overlap.overlapped)
        #expect(next == Array(repeating: each, count: threads))
    }

    @Test("dispose during a storm of events releases everything") func disposeInStorm() async {
        for _ in 0..<100 {
            let source = KeptObserver<ReleaseToken>()
            nonisolated(unsafe) weak var held: ReleaseToken?
            nonisolated(unsafe) weak var captured: ReleaseToken?
            var subscription: (any Disposable)!
            do {
                let token = ReleaseToken()
                captured = token
                subscription = source.observable.subscribe(onNext: { _ in withExtendedLifetime(token) {} })
            }
            do {
                let element = ReleaseToken()
                held = element
                let sent = element
                let disposable = subscription!
                let bodies: [@Sendable () -> Void] = [
                    { for _ in 0..<200 { source.observer.onNext(sent) } },
                    { for _ in 0..<200 { source.observer.onNext(sent) } },
                    { disposable.dispose() },
                ]
                race(bodies)
            }
            // The threads retain the element until they end.
            #expect(await eventually { captured == nil && held == nil })
        }
    }

    @Test("A selector that has thrown does not run again") func throwingSelector() {
        let outer = PublishSubject<Int>()
        let inner = PublishSubject<Int>()
        let log = EventLog()
        _ = log.observe(
            outer.flatMap { element -> Observable<Int> in
                log.note("select \(element)")
                if element == 2 { throw NumberedFailure(1) }
                return inner.asObservable()
            }.do(onNext: { _ in
                outer.onNext(2)
                outer.onNext(3)
            }))
        outer.onNext(1)
        inner.onNext(7)
        #expect(log.text == "select 1 select 2 7 error(1)")
        #expect(!outer.hasObservers && !inner.hasObservers)
    }
}
