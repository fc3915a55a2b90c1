import RxSwift
import RxTest
import TestSupport
import Testing

/// The operators that all three traits have.
@Suite struct PrimitiveSequenceTests {
    @Test func deferredIsMadeForEachSubscription() {
        nonisolated(unsafe) var made = 0
        let single = Single<Int>.deferred {
            made += 1
            return .just(made)
        }
        #expect(made == 0)
        #expect(text(of: single.asObservable()) == "1 completed")
        #expect(text(of: single.asObservable()) == "2 completed")
        let throwing = Completable.deferred { throw Failure.expected }
        #expect(text(of: throwing.asObservable()) == "error(expected)")
        #expect(text(of: Maybe<Int>.deferred { .empty() }.asObservable()) == "completed")
    }

    @Test func usingDisposesOfItsResource() {
        let resource = BooleanDisposable()
        let single = Single<Int>.using({ resource }, primitiveSequenceFactory: { _ in .just(1) })
        #expect(text(of: single.asObservable()) == "1 completed")
        #expect(resource.isDisposed)
        let other = BooleanDisposable()
        let subscription = Completable.using({ other }, primitiveSequenceFactory: { _ in .never() }).subscribe()
        #expect(!other.isDisposed)
        subscription.dispose()
        #expect(other.isDisposed)
        let third = BooleanDisposable()
        let throwing = Maybe<Int>.using({ third }, primitiveSequenceFactory: { _ in throw Failure.expected })
        #expect(text(of: throwing.asObservable()) == "error(expected)")
        #expect(third.isDisposed)
        let failing = Maybe<Int>.using(
            { () throws -> BooleanDisposable in throw Failure.other }, primitiveSequenceFactory: { _ in .empty() })
        #expect(text(of: failing.asObservable()) == "error(other)")
    }

    @Test func timerSendsZero() {
        let scheduler = ticks()
        let single = scheduler.start { Single<Int>.timer(.seconds(10), scheduler: scheduler).asObservable() }
        #expect(single.events == [.next(210, 0), .completed(210)])
        let again = ticks()
        let maybe = again.start { Maybe<UInt8>.timer(.seconds(10), scheduler: again).asObservable() }
        #expect(maybe.events == [.next(210, 0), .completed(210)])
    }

    @Test func catchGoesOnInTheSameTrait() {
        let single = Single<Int>.error(Failure.expected).catch { .just($0 as? Failure == .expected ? 1 : 2) }
        #expect(text(of: single.asObservable()) == "1 completed")
        let maybe = Maybe<Int>.error(Failure.expected).catch { _ in .empty() }
        #expect(text(of: maybe.asObservable()) == "completed")
        let completable = Completable.error(Failure.expected).catch { _ in throw Failure.other }
        #expect(text(of: completable.asObservable()) == "error(other)")
        #expect(text(of: Single.just(1).catch { _ in .just(2) }.asObservable()) == "1 completed")
        #expect(text(of: Single<Int>.error(Failure.other).catchAndReturn(3).asObservable()) == "3 completed")
    }

    @Test func retrySubscribesAnew() {
        nonisolated(unsafe) var attempts = 0
        let source = Single<Int>.deferred {
            attempts += 1
            return attempts.isMultiple(of: 3) ? .just(attempts) : .error(Failure.expected)
        }
        #expect(text(of: source.retry(3).asObservable()) == "3 completed")
        #expect(text(of: source.retry(2).asObservable()) == "error(expected)")
        #expect(attempts == 5)
        attempts = 0
        let triggered = source.retry(when: { errors in errors })
        #expect(text(of: triggered.asObservable()) == "3 completed")
        attempts = 0
        let typed = source.retry { (errors: Observable<Failure>) -> Observable<Failure> in errors.take(1) }
        #expect(text(of: typed.asObservable()) == "completed")
        let stranger = source.retry { (errors: Observable<NumberedFailure>) -> Observable<NumberedFailure> in errors }
        attempts = 0
        #expect(text(of: stranger.asObservable()) == "error(expected)")
    }

    @Test func theElementAndTheEndAreDelayed() {
        let scheduler = ticks()
        let single = scheduler.start { Single.just(1).delay(.seconds(10), scheduler: scheduler).asObservable() }
        #expect(single.events.map(\.time).allSatisfy { $0 >= 210 })
        #expect(single.events.map(\.value) == [.next(1), .completed])
        let again = ticks()
        let error = again.start {
            Maybe<Int>.error(Failure.expected).delay(.seconds(10), scheduler: again).asObservable()
        }
        #expect(error.events == [.error(200, Failure.expected)])
    }

    @Test func theSubscriptionIsDelayed() {
        let scheduler = ticks()
        let source = scheduler.createColdObservable([Recorded<Event<Int>>.completed(5)])
        let result = scheduler.start {
            source.asMaybe().delaySubscription(.seconds(10), scheduler: scheduler).asObservable()
        }
        #expect(result.events == [.completed(215)])
        #expect(source.subscriptions == [Subscription(210, 215)])
    }

    @Test func silenceTimesOut() {
        let scheduler = ticks()
        let failing = scheduler.start { Single<Int>.never().timeout(.seconds(10), scheduler: scheduler).asObservable() }
        #expect(failing.events == [.error(210, RxError.timeout)])
        let again = ticks()
        let replaced = again.start {
            Single<Int>.never().timeout(.seconds(10), other: .just(1), scheduler: again).asObservable()
        }
        #expect(replaced.events == [.next(210, 1), .completed(210)])
        #expect(
            text(of: Completable.empty().timeout(.seconds(10), scheduler: ticks()).asObservable()) == "completed")
    }

    @Test func eventsAndSubscriptionsMoveToASchedulerOfTheirOwn() {
        let scheduler = ticks()
        let observed = scheduler.start { Single.just(1).observe(on: scheduler).asObservable() }
        #expect(observed.events == [.next(201, 1), .completed(202)])
        let again = ticks()
        let source = again.createColdObservable([Recorded<Event<Int>>.completed(5)])
        let subscribed = again.start { source.asMaybe().subscribe(on: again).asObservable() }
        #expect(subscribed.events == [.completed(206)])
        #expect(source.subscriptions.map(\.subscribe) == [201])
    }

    @Test func debugPassesEventsUnchanged() {
        #expect(text(of: Single.just(1).debug("single").asObservable()) == "1 completed")
        #expect(text(of: Completable.empty().debug("completable", trimOutput: true).asObservable()) == "completed")
    }
}
