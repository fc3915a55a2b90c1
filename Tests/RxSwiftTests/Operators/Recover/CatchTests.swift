// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct CatchTests {
    @Test("The sequence of the handler takes over after an error") func handler() {
        let source = failing(1, with: 5).catch { error in
            sequence((error as! NumberedFailure).number)
        }
        #expect(text(of: source) == "1 5 completed")
        #expect(text(of: sequence(1).catch { _ in sequence(2) }) == "1 completed")
        #expect(text(of: failing().catch { _ in failing(2, with: 7) }) == "2 error(7)")
        let throwing = failing().catch { _ in throw NumberedFailure(8) }
        #expect(text(of: throwing) == "error(8)")
    }

    @Test("The sequence of the handler is disposed of with the subscription") func failedSource() {
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let log = EventLog()
        let subscription = log.observe(first.catch { _ in second })
        first.onNext(1)
        first.onError(NumberedFailure())
        #expect(second.hasObservers)
        second.onNext(2)
        subscription.dispose()
        #expect(!second.hasObservers)
        #expect(log.text == "1 2")
    }

    @Test("No subscription follows a disposal in the handler") func handlerDisposes() {
        let subscription = SerialDisposable()
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let log = EventLog()
        subscription.disposable = log.observe(
            first.catch { _ in
                subscription.dispose()
                return second
            })
        first.onError(NumberedFailure())
        #expect(!second.hasObservers && log.text == "")
    }

    @Test("An error that races with disposal leaves no observer") func disposalRace() {
        struct Round {
            let first = PublishSubject<Int>()
            let second = PublishSubject<Int>()
            let subscription: any Disposable

            init() {
                let second = self.second
                subscription = first.catch { _ in second }.subscribe()
            }
        }
        raceRounds(
            2_000, prepare: { Round() }, { $0.first.onError(NumberedFailure()) }, { $0.subscription.dispose() },
            check: { round in
                #expect(!round.first.hasObservers && !round.second.hasObservers)
            })
    }
}
