// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct CompletableTests {
    private func outcome(_ completable: Completable) -> String {
        nonisolated(unsafe) var log: [String] = []
        _ = completable.subscribe(
            onCompleted: { log.append("completed") }, onError: { log.append("error \($0)") },
            onDisposed: { log.append("disposed") })
        return log.joined(separator: ", ")
    }

    @Test("A subscriber receives the outcome and its end") func outcomes() {
        #expect(outcome(.empty()) == "completed, disposed")
        #expect(outcome(.error(Failure.expected)) == "error expected, disposed")
        #expect(outcome(.never()) == "")
        nonisolated(unsafe) var events = 0
        _ = Completable.empty().subscribe { event in if case .completed = event { events += 1 } }
        _ = Completable.error(Failure.expected).subscribe { event in if case .error = event { events += 1 } }
        #expect(events == 2)
    }

    @Test("Only the first outcome counts") func firstOutcome() {
        nonisolated(unsafe) var log: [String] = []
        let completable = Completable.create { receive in
            receive(.completed)
            receive(.error(Failure.expected))
            return Disposables.create { log.append("disposed") }
        }
        #expect(outcome(completable) == "completed, disposed")
        #expect(log == ["disposed"])
    }

    @Test("do runs its closures") func doClosures() {
        nonisolated(unsafe) var log: [String] = []
        func note(_ line: String) -> @Sendable () -> Void { { log.append(line) } }
        func observed(_ source: Completable) -> Completable {
            source.do(
                onError: { log.append("onError \($0)") }, afterError: { log.append("afterError \($0)") },
                onCompleted: note("onCompleted"), afterCompleted: note("afterCompleted"),
                onSubscribe: note("onSubscribe"), onSubscribed: note("onSubscribed"), onDispose: note("onDispose"))
        }
        _ = observed(.empty()).subscribe(onCompleted: note("completed"))
        #expect(
            log == ["onSubscribe", "onCompleted", "completed", "afterCompleted", "onSubscribed", "onDispose"])
        log = []
        _ = observed(.error(Failure.expected)).subscribe(onError: { _ in log.append("error") })
        #expect(
            log == [
                "onSubscribe", "onError expected", "error", "afterError expected", "onSubscribed", "onDispose",
            ])
        #expect(outcome(Completable.empty().do(onCompleted: { throw Failure.other })) == "error other, disposed")
    }

    /// A completable that ends at a time, and when it was subscribed to.
    private func ends(
        at time: Int, with event: Event<Int> = .completed, on scheduler: TestScheduler
    ) -> (completable: Completable, source: TestableObservable<Int>) {
        let source = scheduler.createColdObservable([Recorded(time: time, value: event)])
        return (source.ignoreElements().asCompletable(), source)
    }

    @Test("concat subscribes to one completable after another") func concatOrder() {
        let scheduler = ticks()
        let first = ends(at: 10, on: scheduler)
        let second = ends(at: 20, on: scheduler)
        let third = ends(at: 30, with: .error(Failure.expected), on: scheduler)
        let fourth = ends(at: 40, on: scheduler)
        let all = [first.completable, second.completable, third.completable, fourth.completable]
        let result = scheduler.start { Completable.concat(all).asObservable().map { _ in 0 } }
        #expect(result.events == [.error(260, Failure.expected)])
        #expect(first.source.subscriptions == [Subscription(200, 210)])
        #expect(second.source.subscriptions == [Subscription(210, 230)])
        #expect(third.source.subscriptions == [Subscription(230, 260)])
        #expect(fourth.source.subscriptions == [])
    }

    @Test("Each form of concat runs its completables in order") func concatForms() {
        nonisolated(unsafe) var log: [Int] = []
        func step(_ number: Int) -> Completable {
            .deferred {
                log.append(number)
                return .empty()
            }
        }
        #expect(outcome(step(1).concat(step(2))) == "completed, disposed")
        #expect(outcome(Completable.concat(step(3), step(4))) == "completed, disposed")
        #expect(outcome(Completable.concat([step(5), step(6)])) == "completed, disposed")
        #expect(outcome(Completable.concat(AnySequence([step(7), step(8)]))) == "completed, disposed")
        #expect(outcome(Completable.concat([])) == "completed, disposed")
        #expect(log == Array(1...8))
    }

    @Test("concat iterates a sequence lazily and a collection at once") func concatIteration() {
        nonisolated(unsafe) var made = 0
        func make(_: Int) -> Completable {
            made += 1
            return .never()
        }
        let eager = Completable.concat((0..<3).lazy.map(make))
        #expect(made == 3)
        _ = eager.subscribe()
        #expect(made == 3)
        made = 0
        let lazy = Completable.concat(AnySequence((0..<3).lazy.map(make)))
        #expect(made == 0)
        _ = lazy.subscribe()
        #expect(made == 1)
    }

    @Test("zip runs all completables, and the first error ends it") func zip() {
        let scheduler = ticks()
        let first = ends(at: 10, on: scheduler)
        let second = ends(at: 30, on: scheduler)
        let both = scheduler.start {
            Completable.zip(first.completable, second.completable).asObservable().map { _ in 0 }
        }
        #expect(both.events == [.completed(230)])
        #expect(first.source.subscriptions == [Subscription(200, 210)])
        let again = ticks()
        let failing = ends(at: 20, with: .error(Failure.expected), on: again)
        let late = ends(at: 30, on: again)
        let result = again.start {
            Completable.zip([failing.completable, late.completable]).asObservable().map { _ in 0 }
        }
        #expect(result.events == [.error(220, Failure.expected)])
        #expect(late.source.subscriptions == [Subscription(200, 220)])
        #expect(outcome(Completable.zip(ContiguousArray<Completable>())) == "completed, disposed")
        #expect(outcome(Completable.zip()) == "completed, disposed")
    }

    @Test("dispose of a zip ends all completables") func zipDispose() {
        let subjects = [PublishSubject<Never>(), PublishSubject<Never>()]
        let subscription = Completable.zip(subjects.map { $0.asCompletable() }).subscribe()
        #expect(subjects.allSatisfy { $0.hasObservers })
        subscription.dispose()
        #expect(!subjects.contains { $0.hasObservers })
    }

    @Test("subscribe(with:) does not retain the object") func weakObject() {
        final class Object {}
        var object: Object? = Object()
        nonisolated(unsafe) var calls: [String] = []
        let subject = PublishSubject<Never>()
        _ = Completable.empty().subscribe(
            with: object!, onCompleted: { _ in calls.append("completed") },
            onDisposed: { _ in calls.append("disposed") })
        #expect(calls == ["completed", "disposed"])
        _ = subject.asCompletable().subscribe(with: object!, onError: { _, _ in calls.append("late") })
        object = nil
        subject.onError(Failure.expected)
        #expect(calls == ["completed", "disposed"])
    }
}
