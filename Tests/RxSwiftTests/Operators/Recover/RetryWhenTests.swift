// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct RetryWhenTests {
    @Test("The notifier decides on each retry and on completion") func notifier() {
        let notifier = PublishSubject<Void>()
        let log = EventLog()
        let subscription = log.observe(
            failing(times: 9).retry(when: { (errors: Observable<any Error>) in
                _ = errors.subscribe(onNext: { log.note("failed(\(($0 as! NumberedFailure).number))") })
                return notifier
            }))
        #expect(log.text == "0 failed(0)")
        notifier.onNext(())
        #expect(log.text == "0 failed(0) 1 failed(1)")
        notifier.onCompleted()
        #expect(log.text == "0 failed(0) 1 failed(1) completed")
        subscription.dispose()
    }

    @Test("An error of the notifier ends the result") func notifierFails() {
        let notifier = PublishSubject<Void>()
        let log = EventLog()
        let source = PublishSubject<Int>()
        let subscription = log.observe(source.retry(when: { (_: Observable<any Error>) in notifier }))
        source.onNext(1)
        notifier.onError(NumberedFailure(7))
        source.onNext(2)
        source.onError(NumberedFailure(1))
        #expect(log.text == "1 2 error(7)")
        #expect(!source.hasObservers && !notifier.hasObservers)
        subscription.dispose()
    }

    @Test("One notification after an error makes one retry") func notifications() {
        let notifier = PublishSubject<Void>()
        let subscriptions = AtomicCounter(0)
        nonisolated(unsafe) var current = PublishSubject<Int>()
        let source = made { () -> Observable<Int> in
            subscriptions.increment()
            current = PublishSubject<Int>()
            return current
        }
        let subscription = source.retry(when: { (_: Observable<any Error>) in notifier }).subscribe()
        notifier.onNext(())
        #expect(current.hasObservers)
        current.onError(NumberedFailure())
        notifier.onNext(())
        notifier.onNext(())
        #expect(subscriptions.value == 2)
        subscription.dispose()
        #expect(!current.hasObservers && !notifier.hasObservers)
    }

    @Test("A source that fails while it is subscribed to is retried once per notification") func synchronous() {
        let log = EventLog()
        let source = failing(times: 3).retry(when: { (errors: Observable<any Error>) in
            errors.flatMap { _ in sequence(1, 1) }
        })
        log.observe(source).dispose()
        #expect(log.text == "0 1 2 3 completed")
    }

    @Test("A million attempts take bounded stack") func millionAttempts() {
        onEightMebibytes {
            nonisolated(unsafe) var count = 0
            _ = failing(times: 1_000_000).retry(when: { (errors: Observable<any Error>) in errors })
                .subscribe(onNext: { _ in count += 1 })
            #expect(count == 1_000_001)
        }
    }

    @Test("An error of another type comes through") func otherErrors() {
        struct Other: Error {}
        let log = EventLog()
        let source = PublishSubject<Int>()
        _ = log.observe(source.retry(when: { (errors: Observable<NumberedFailure>) in errors }))
        source.onError(Other())
        #expect(log.text == "error(Other())")

        let again = failing(times: 1).retry(when: { (errors: Observable<NumberedFailure>) in errors })
        #expect(text(of: again) == "0 1 completed")
    }

    @Test("The end releases the handler") func release() {
        weak var released: ReleaseToken?
        do {
            let token = ReleaseToken()
            released = token
            _ = failing(times: 2).retry(when: { (errors: Observable<any Error>) in
                errors.map { _ in withExtendedLifetime(token) {} }
            }).subscribe()
        }
        #expect(released == nil)
    }

    @Test("A notification that races with disposal leaves no observer") func disposalRace() {
        struct Round {
            let source = PublishSubject<Int>()
            let second = PublishSubject<Int>()
            let notifier = PublishSubject<Void>()
            let subscription: any Disposable

            init() {
                let (source, second, notifier) = (source, second, notifier)
                nonisolated(unsafe) var attempts = 0
                subscription = made { () -> Observable<Int> in
                    attempts += 1
                    return attempts == 1 ? source : second
                }.retry(when: { (_: Observable<any Error>) in notifier }).subscribe()
                source.onError(NumberedFailure())
            }
        }
        raceRounds(
            2_000, prepare: { Round() }, { $0.notifier.onNext(()) }, { $0.subscription.dispose() },
            check: { round in
                #expect(!round.second.hasObservers && !round.notifier.hasObservers)
            })
    }

    @Test("An error that races with the notifier's completion completes the result") func endRace() {
        struct Round {
            let source = PublishSubject<Int>()
            let notifier = PublishSubject<Void>()
            let log = EventLog()

            init() {
                let notifier = self.notifier
                _ = log.observe(source.retry(when: { (_: Observable<any Error>) in notifier }))
            }
        }
        raceRounds(
            2_000, prepare: { Round() }, { $0.notifier.onCompleted() }, { $0.source.onError(NumberedFailure()) },
            check: { #expect($0.log.text == "completed") })
    }
}
