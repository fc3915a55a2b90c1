// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct AndThenTests {
    @Test("The second sequence follows the first") func elements() {
        #expect(text(of: Completable.empty().andThen(Single.just(1)).asObservable()) == "1 completed")
        #expect(text(of: Completable.empty().andThen(Maybe<Int>.empty()).asObservable()) == "completed")
        #expect(text(of: Completable.empty().andThen(Maybe.just(1)).asObservable()) == "1 completed")
        #expect(text(of: Completable.empty().andThen(sequence(1, 2, 3))) == "1 2 3 completed")
        #expect(text(of: Completable.empty().andThen(Completable.empty()).asObservable()) == "completed")
    }

    @Test("An error of either sequence ends the result") func errors() {
        let failing = Completable.error(Failure.expected)
        #expect(text(of: failing.andThen(Single.just(1)).asObservable()) == "error(expected)")
        #expect(text(of: failing.andThen(Completable.empty()).asObservable()) == "error(expected)")
        #expect(text(of: Completable.empty().andThen(failing).asObservable()) == "error(expected)")
        #expect(text(of: Completable.empty().andThen(sequence(1, error: .other))) == "1 error(other)")
        #expect(text(of: Completable.never().andThen(Single.just(1)).asObservable()) == "")
    }

    @Test("The second sequence is subscribed to when the first completes") func subscriptionTimes() throws {
        try expectMarbles(
            source: "^----|",
            active: "^----!",
            second: "     ^12|",
            during: "     ^--!",
            result: "^-----12|",
            isCold: true
        ) { first, second, _ in first.ignoreElements().asCompletable().andThen(second) }
    }

    @Test(
        "dispose ends the running sequence",
        arguments: [
            (225, "^----!", "", "^"),
            (265, "^---------!", "          ^--!", "^-----------1"),
        ])
    func dispose(time: Int, active: String, during: String, result: String) throws {
        try expectMarbles(
            source: "^---------|",
            active: active,
            second: "          ^-1-2-|",
            during: during,
            result: result,
            isCold: true, ticks: 5, disposed: time
        ) { first, second, _ in first.ignoreElements().asCompletable().andThen(second) }
    }

    @Test("The first sequence is released when the second runs") func releasedFirst() {
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

    @Test("A dispose at the end of the first keeps the second from starting") func disposeAtEnd() {
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

    @Test("Long chains need no stack") func longChain() {
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

    @Test("Recursion in the second sequence needs little stack") func recursion() {
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
