// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct RetryTests {
    @Test("A failed source is subscribed to anew, as often as allowed") func attempts() {
        #expect(text(of: failing(times: 2).retry()) == "0 1 2 completed")
        #expect(text(of: failing(times: 2).retry(3)) == "0 1 2 completed")
        #expect(text(of: failing(times: 2).retry(2)) == "0 1 error(1)")
        #expect(text(of: failing(times: 2).retry(0)) == "completed")
    }

    @Test("The attempts of nested retries multiply") func nested() {
        #expect(text(of: failing(times: 9).retry(2).retry(3)) == "0 1 2 3 4 5 error(5)")
    }

    @Test("A million attempts take bounded stack") func millionAttempts() {
        onEightMebibytes {
            nonisolated(unsafe) var count = 0
            _ = failing(times: 1_000_000).retry().subscribe(onNext: { _ in count += 1 })
            #expect(count == 1_000_001)
        }
    }

    @Test("A disposal in the observer ends the retries") func observerDisposes() {
        let subscription = SerialDisposable()
        nonisolated(unsafe) var count = 0
        let gate = PublishSubject<Int>()
        let source = gate.catch { _ in failing(times: .max) }
        subscription.disposable = source.retry().subscribe(onNext: { _ in
            count += 1
            if count == 10 { subscription.dispose() }
        })
        gate.onError(NumberedFailure())
        #expect(count == 10)
    }

    @Test("An error that races with disposal leaves no observer") func disposalRace() {
        struct Round {
            let first = PublishSubject<Int>()
            let second = PublishSubject<Int>()
            let subscription: any Disposable

            init() {
                let (first, second) = (first, second)
                nonisolated(unsafe) var attempts = 0
                let source = made { () -> Observable<Int> in
                    attempts += 1
                    return attempts == 1 ? first : second
                }
                subscription = source.retry().subscribe()
            }
        }
        raceRounds(
            2_000, prepare: { Round() }, { $0.first.onError(NumberedFailure()) }, { $0.subscription.dispose() },
            check: { round in
                #expect(!round.first.hasObservers && !round.second.hasObservers)
            })
    }
}
