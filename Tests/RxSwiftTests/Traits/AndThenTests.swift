import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct AndThenTests {
    @Test func theSecondFollowsTheFirst() {
        #expect(text(of: Completable.empty().andThen(Single.just(1)).asObservable()) == "1 completed")
        #expect(text(of: Completable.empty().andThen(Maybe<Int>.empty()).asObservable()) == "completed")
        #expect(text(of: Completable.empty().andThen(Maybe.just(1)).asObservable()) == "1 completed")
        #expect(text(of: Completable.empty().andThen(sequence(1, 2, 3))) == "1 2 3 completed")
        #expect(text(of: Completable.empty().andThen(Completable.empty()).asObservable()) == "completed")
    }

    @Test func errorsOfBothEndIt() {
        let failing = Completable.error(Failure.expected)
        #expect(text(of: failing.andThen(Single.just(1)).asObservable()) == "error(expected)")
        #expect(text(of: failing.andThen(Completable.empty()).asObservable()) == "error(expected)")
        #expect(text(of: Completable.empty().andThen(failing).asObservable()) == "error(expected)")
        #expect(text(of: Completable.empty().andThen(sequence(1, error: .other))) == "1 error(other)")
        #expect(text(of: Completable.never().andThen(Single.just(1)).asObservable()) == "")
    }

    @Test func theSecondIsSubscribedToWhenTheFirstCompletes() {
        let scheduler = ticks()
        let first = scheduler.createColdObservable([Recorded<Event<Int>>.completed(50)])
        let second = scheduler.createColdObservable(script((10, 1), (20, 2)) + [.completed(30)])
        let result = scheduler.start { first.ignoreElements().asCompletable().andThen(second.asObservable()) }
        #expect(result.events == [.next(260, 1), .next(270, 2), .completed(280)])
        #expect(first.subscriptions == [Subscription(200, 250)])
        #expect(second.subscriptions == [Subscription(250, 280)])
    }

    @Test(arguments: [225, 265]) func disposeEndsTheOneThatRuns(_ time: Int) {
        let scheduler = ticks()
        let first = scheduler.createColdObservable([Recorded<Event<Int>>.completed(50)])
        let second = scheduler.createColdObservable(script((10, 1), (20, 2)) + [.completed(30)])
        let result = scheduler.start(disposed: time) {
            first.ignoreElements().asCompletable().andThen(second.asObservable())
        }
        #expect(result.events == (time == 225 ? [] : [.next(260, 1)]))
        #expect(first.subscriptions == [Subscription(200, min(time, 250))])
        #expect(second.subscriptions == (time == 225 ? [] : [Subscription(250, time)]))
    }

    @Test func theFirstIsLetGoWhenTheSecondRuns() {
        let first = PublishSubject<Never>()
        let second = PublishSubject<Never>()
        let log = EventLog(first.asCompletable().andThen(second.asCompletable()).asObservable())
        #expect(first.hasObservers && !second.hasObservers)
        first.onCompleted()
        #expect(!first.hasObservers && second.hasObservers)
        second.onCompleted()
        #expect(!second.hasObservers)
        #expect(log.lines == ["completed"])
    }

    @Test func disposeAtTheEndOfTheFirstKeepsTheSecondFromStarting() {
        let subscription = SerialDisposable()
        let first = PublishSubject<Never>()
        nonisolated(unsafe) var subscriptions = 0
        let second = Completable.deferred {
            subscriptions += 1
            return .empty()
        }
        subscription.disposable = first.asCompletable().do(onCompleted: { subscription.dispose() })
            .andThen(second).subscribe()
        first.onCompleted()
        #expect(subscriptions == 0)
    }

    @Test func longChainsNeedNoStack() {
        let count = stepCount(20_000, debug: 1_500)
        let steps = stepCount(1_000_000, debug: 20_000)
        let outcome = onEightMebibytes {
            nonisolated(unsafe) var log: [String] = []
            let start = PublishSubject<Never>()
            var chain = start.asCompletable()
            for _ in 0..<count { chain = chain.andThen(.empty()) }
            _ = chain.subscribe(onCompleted: { log.append("chain") })
            chain = .never()
            start.onCompleted()
            let many = Completable.concat(AnySequence((0..<steps).lazy.map { _ in Completable.empty() }))
            _ = many.subscribe(onCompleted: { log.append("concat") })
            let retried = AnySequence((0..<steps).lazy.map { _ in Completable.error(Failure.other).retry(2) })
            _ = Completable.concat(AnySequence(retried.lazy.map { $0.catch { _ in .empty() } }))
                .subscribe(onCompleted: { log.append("retry") })
            return log
        }
        #expect(outcome == ["chain", "concat", "retry"])
    }

    @Test func recursionInTheSecondNeedsLittleStack() {
        @Sendable func countdown(_ depth: Int) -> Completable {
            depth == 0 ? .empty() : Completable.empty().andThen(.deferred { countdown(depth - 1) })
        }
        let hasCompleted = onEightMebibytes {
            nonisolated(unsafe) var hasCompleted = false
            _ = countdown(recursionDepth).subscribe(onCompleted: { hasCompleted = true })
            return hasCompleted
        }
        #expect(hasCompleted)
    }
}
