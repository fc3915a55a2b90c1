import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct RetryTests {
    /// A sequence that fails so many times with 0, 1, 2..., and then completes.
    private func failing(times: Int) -> Observable<Int> {
        let attempt = AtomicWordBox()
        return .create { observer in
            let number = attempt.next()
            observer.onNext(number)
            if number < times { observer.onError(NumberedFailure(number)) } else { observer.onCompleted() }
            return Disposables.create()
        }
    }

    private final class AtomicWordBox: Sendable {
        private let word = AtomicWord(0)

        func next() -> Int { Int(word.fetchAdd(1)) }
    }

    @Test func aFailedSequenceIsSubscribedToAnew() {
        #expect(text(of: failing(times: 2).retry()) == "0 1 2 completed")
        #expect(text(of: failing(times: 2).retry(3)) == "0 1 2 completed")
        #expect(text(of: failing(times: 2).retry(2)) == "0 1 error(1)")
        #expect(text(of: failing(times: 2).retry(0)) == "completed")
    }

    @Test func retriesOfRetriesMultiply() {
        #expect(text(of: failing(times: 9).retry(2).retry(3)) == "0 1 2 3 4 5 error(5)")
    }

    @Test func aMillionAttemptsNeedNoStack() {
        onEightMebibytes { [self] in
            nonisolated(unsafe) var count = 0
            _ = failing(times: 1_000_000).retry().subscribe(onNext: { _ in count += 1 })
            #expect(count == 1_000_001)
        }
    }

    @Test func disposeInsideACallbackEndsTheRetrying() {
        let subscription = SerialDisposable()
        nonisolated(unsafe) var count = 0
        let gate = PublishSubject<Int>()
        let source = gate.catch { _ in self.failing(times: .max) }
        subscription.disposable = source.retry().subscribe(onNext: { _ in
            count += 1
            if count == 10 { subscription.dispose() }
        })
        gate.onError(NumberedFailure())
        #expect(count == 10)
    }

    @Test func disposeAgainstTheNextAttemptLeavesNothingBehind() {
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

    // MARK: retry(when:)

    @Test func theNotifierDecides() {
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

    @Test func theNotifiersErrorEndsIt() {
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

    @Test func elementsOfTheNotifierCountOncePerErrorAndOnlyAfterOne() {
        let notifier = PublishSubject<Void>()
        let subscriptions = AtomicWordBox()
        nonisolated(unsafe) var current = PublishSubject<Int>()
        let source = made { () -> Observable<Int> in
            _ = subscriptions.next()
            current = PublishSubject<Int>()
            return current
        }
        let subscription = source.retry(when: { (_: Observable<any Error>) in notifier }).subscribe()
        notifier.onNext(())
        #expect(current.hasObservers)
        current.onError(NumberedFailure())
        notifier.onNext(())
        notifier.onNext(())
        #expect(subscriptions.next() == 2)
        subscription.dispose()
        #expect(!current.hasObservers && !notifier.hasObservers)
    }

    @Test func aSourceThatFailsInsideItsSubscriptionIsRetriedOncePerNotification() {
        let log = EventLog()
        let source = failing(times: 3).retry(when: { (errors: Observable<any Error>) in
            errors.flatMap { _ in sequence(1, 1) }
        })
        log.observe(source).dispose()
        #expect(log.text == "0 1 2 3 completed")
    }

    @Test func aMillionNotifiedAttemptsNeedNoStack() {
        onEightMebibytes { [self] in
            nonisolated(unsafe) var count = 0
            _ = failing(times: 1_000_000).retry(when: { (errors: Observable<any Error>) in errors })
                .subscribe(onNext: { _ in count += 1 })
            #expect(count == 1_000_001)
        }
    }

    @Test func errorsOfAnotherTypePassThrough() {
        struct Other: Error {}
        let log = EventLog()
        let source = PublishSubject<Int>()
        _ = log.observe(source.retry(when: { (errors: Observable<NumberedFailure>) in errors }))
        source.onError(Other())
        #expect(log.text == "error(Other())")

        let again = failing(times: 1).retry(when: { (errors: Observable<NumberedFailure>) in errors })
        #expect(text(of: again) == "0 1 completed")
    }

    @Test func everythingIsReleasedAtTheEnd() {
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

    @Test func notificationAgainstDispose() {
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

    @Test func theSourcesErrorAgainstTheNotifiersEnd() {
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
