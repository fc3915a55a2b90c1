// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct SwitchLatestTests {
    private let outer = PublishSubject<Observable<Int>>()
    private let inners = (0..<3).map { _ in PublishSubject<Int>() }
    private let log = EventLog()

    @Test("Only the latest inner sequence is subscribed to") func latest() {
        _ = log.observe(outer.switchLatest())
        outer.onNext(inners[0])
        inners[0].onNext(1)
        outer.onNext(inners[1])
        #expect(inners.map(\.hasObservers) == [false, true, false])
        inners[0].onNext(9)
        inners[1].onNext(2)
        outer.onCompleted()
        inners[1].onNext(3)
        inners[1].onCompleted()
        #expect(log.text == "1 2 3 completed")
    }

    @Test("The result completes with the outer sequence while no inner one runs") func completion() {
        _ = log.observe(outer.switchLatest())
        outer.onNext(.just(1))
        outer.onCompleted()
        #expect(log.text == "1 completed")
    }

    @Test("An error of the latest inner sequence ends the result") func innerError() {
        _ = log.observe(outer.switchLatest())
        outer.onNext(inners[0])
        inners[0].onError(NumberedFailure(1))
        #expect(!outer.hasObservers)
        #expect(log.text == "error(1)")
    }

    @Test("An error of the outer sequence ends the result") func outerError() {
        _ = log.observe(outer.switchLatest())
        outer.onNext(inners[1])
        outer.onError(NumberedFailure(2))
        #expect(!inners[1].hasObservers)
        #expect(log.text == "error(2)")
    }

    @Test("Disposal ends the outer and the inner subscription") func disposal() {
        let subscription = log.observe(outer.switchLatest())
        outer.onNext(inners[0])
        subscription.dispose()
        #expect(!outer.hasObservers && !inners[0].hasObservers)
    }

    @Test("No element of a superseded inner sequence follows one of its successor") func switchRace() {
        struct Round {
            let outer = PublishSubject<Observable<Int>>()
            let first = PublishSubject<Int>()
            let log = EventLog()

            init() {
                _ = log.observe(outer.switchLatest())
                outer.onNext(first)
            }
        }
        raceRounds(
            3_000, prepare: { Round() }, { round in for _ in 0..<5 { round.first.onNext(1) } },
            { $0.outer.onNext(.just(2)) },
            check: { round in
                #expect(round.log.text.hasSuffix("2"))
                #expect(!round.first.hasObservers)
            })
    }

    @Test("A switch that races with disposal leaves no observer") func disposalRace() {
        struct Round {
            let outer = PublishSubject<Observable<Int>>()
            let inner = PublishSubject<Int>()
            let subscription: any Disposable

            init() { subscription = outer.switchLatest().subscribe() }
        }
        raceRounds(
            2_000, prepare: { Round() }, { $0.outer.onNext($0.inner) }, { $0.subscription.dispose() },
            check: { round in
                #expect(!round.outer.hasObservers && !round.inner.hasObservers)
            })
    }
}
