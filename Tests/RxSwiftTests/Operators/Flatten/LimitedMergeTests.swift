// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct LimitedMergeTests {
    private let outer = PublishSubject<Observable<Int>>()
    private let inners = (0..<3).map { _ in PublishSubject<Int>() }
    private let log = EventLog()

    @Test("`concat` subscribes to one inner sequence after another") func concat() {
        let subscription = log.observe(outer.concat())
        for inner in inners { outer.onNext(inner) }
        #expect(inners.map(\.hasObservers) == [true, false, false])
        inners[0].onNext(1)
        inners[1].onNext(9)
        inners[0].onCompleted()
        #expect(inners.map(\.hasObservers) == [false, true, false])
        inners[1].onNext(2)
        outer.onCompleted()
        #expect(!outer.hasObservers)
        inners[1].onCompleted()
        inners[2].onNext(3)
        inners[2].onCompleted()
        #expect(log.text == "1 2 3 completed")
        subscription.dispose()
    }

    @Test("No more than two inner sequences run at a time") func limit() {
        let subscription = log.observe(outer.merge(maxConcurrent: 2))
        for inner in inners { outer.onNext(inner) }
        #expect(inners.map(\.hasObservers) == [true, true, false])
        inners[1].onNext(1)
        inners[0].onNext(2)
        inners[1].onCompleted()
        #expect(inners.map(\.hasObservers) == [true, false, true])
        subscription.dispose()
        #expect(inners.map(\.hasObservers) == [false, false, false])
        #expect(!outer.hasObservers && log.text == "1 2")
    }

    @Test("An error of an inner sequence ends all subscriptions") func error() {
        _ = log.observe(outer.merge(maxConcurrent: 2))
        for inner in inners { outer.onNext(inner) }
        inners[1].onError(NumberedFailure(4))
        inners[0].onNext(1)
        #expect(inners.map(\.hasObservers) == [false, false, false])
        #expect(!outer.hasObservers && log.text == "error(4)")
    }

    @Test("A limit of zero runs no inner sequence") func zeroLimit() {
        _ = log.observe(outer.merge(maxConcurrent: 0))
        outer.onNext(inners[0])
        outer.onCompleted()
        #expect(log.text == "completed" && !inners[0].hasObservers)
    }

    @Test("An inner end that races with new inner sequences loses none of them") func endRace() {
        struct Round {
            let outer = PublishSubject<Observable<Int>>()
            let first = PublishSubject<Int>()
            let log = EventLog()

            init() {
                _ = log.observe(outer.concat())
                outer.onNext(first)
            }
        }
        raceRounds(
            2_000, prepare: { Round() }, { $0.first.onCompleted() },
            { round in
                round.outer.onNext(.just(1))
                round.outer.onNext(.just(2))
                round.outer.onCompleted()
            }, check: { #expect($0.log.text == "1 2 completed") })
    }

    @Test("Two inner sequences that emit at once are serialized") func emittersRace() {
        struct Round {
            let first = PublishSubject<Int>()
            let second = PublishSubject<Int>()
            let log = EventLog()
            let inside = OverlapDetector()

            init() {
                let (log, inside) = (log, inside)
                _ = Observable.just(first.asObservable()).concat(Observable.just(second.asObservable()))
                    .merge(maxConcurrent: 2)
                    .subscribe(onNext: { _ in
                        inside.enter()
                        log.note("x")
                        inside.leave()
                    })
            }
        }
        raceRounds(
            500, prepare: { Round() }, { round in for _ in 0..<20 { round.first.onNext(0) } },
            { round in for _ in 0..<20 { round.second.onNext(0) } },
            check: { round in
                #expect(round.log.text.count == 79)
                #expect(!round.inside.overlapped)
            })
    }
}
