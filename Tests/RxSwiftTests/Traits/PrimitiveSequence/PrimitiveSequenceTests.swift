// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

/// The operators that all three traits have.
@Suite struct PrimitiveSequenceTests {
    @Test("deferred makes its sequence for each subscription") func deferred() {
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

    @Test("using disposes of its resource") func using() {
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

    @Test("timer sends zero after its due time") func timer() throws {
        try expectMarbles(result: "^(0|)") { Single<Int>.timer(.seconds(10), scheduler: $0).asObservable() }
        try expectMarbles(result: "^(0|)") { Maybe<UInt8>.timer(.seconds(10), scheduler: $0).asObservable() }
    }

    @Test("catch recovers within the same trait") func catchOperator() {
        let single = Single<Int>.error(Failure.expected).catch { .just($0 as? Failure == .expected ? 1 : 2) }
        #expect(text(of: single.asObservable()) == "1 completed")
        let maybe = Maybe<Int>.error(Failure.expected).catch { _ in .empty() }
        #expect(text(of: maybe.asObservable()) == "completed")
        let completable = Completable.error(Failure.expected).catch { _ in throw Failure.other }
        #expect(text(of: completable.asObservable()) == "error(other)")
        #expect(text(of: Single.just(1).catch { _ in .just(2) }.asObservable()) == "1 completed")
        #expect(text(of: Single<Int>.error(Failure.other).catchAndReturn(3).asObservable()) == "3 completed")
    }

    @Test("retry subscribes anew") func retry() {
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

    @Test("delay delays the element and the end, and not an error") func delay() {
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

    @Test("delaySubscription delays the subscription") func delaySubscription() throws {
        try expectMarbles(
            source: "  ^|",
            result: "^--|",
            active: "  ^!",
            isCold: true, ticks: 5
        ) { $0.asMaybe().delaySubscription(.seconds(10), scheduler: $1).asObservable() }
    }

    @Test("timeout ends a silent sequence") func timeout() throws {
        try expectMarbles(source: "^", result: "^#", error: RxError.timeout) {
            $0.asSingle().timeout(.seconds(10), scheduler: $1).asObservable()
        }
        try expectMarbles(result: "^(1|)") {
            Single<Int>.never().timeout(.seconds(10), other: .just(1), scheduler: $0).asObservable()
        }
        #expect(
            text(of: Completable.empty().timeout(.seconds(10), scheduler: ticks()).asObservable()) == "completed")
    }

    @Test("observe(on:) and subscribe(on:) move events and subscriptions to a scheduler") func schedulers() throws {
        try expectMarbles(result: "^1|", ticks: 1) { Single.just(1).observe(on: $0).asObservable() }
        let scheduler = ticks()
        let source = scheduler.createColdObservable([Recorded<Event<Int>>.completed(5)])
        let subscribed = scheduler.start { source.asMaybe().subscribe(on: scheduler).asObservable() }
        #expect(subscribed.events == [.completed(206)])
        #expect(source.subscriptions.map(\.subscribe) == [201])
    }

    @Test("debug passes events unchanged") func debug() {
        #expect(text(of: Single.just(1).debug("single").asObservable()) == "1 completed")
        #expect(text(of: Completable.empty().debug("completable", trimOutput: true).asObservable()) == "completed")
    }
}
