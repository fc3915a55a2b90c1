// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct MaybeTests {
    private func outcome<Element>(_ maybe: Maybe<Element>) -> String {
        nonisolated(unsafe) var log: [String] = []
        _ = maybe.subscribe(
            onSuccess: { log.append("success \($0)") }, onError: { log.append("error \($0)") },
            onCompleted: { log.append("completed") }, onDisposed: { log.append("disposed") })
        return log.joined(separator: ", ")
    }

    @Test("A subscriber receives the outcome and its end") func outcomes() {
        #expect(outcome(Maybe.just(1)) == "success 1, disposed")
        #expect(outcome(Maybe.just(1, scheduler: CurrentThreadScheduler.instance)) == "success 1, disposed")
        #expect(outcome(Maybe<Int>.error(Failure.expected)) == "error expected, disposed")
        #expect(outcome(Maybe<Int>.empty()) == "completed, disposed")
        #expect(outcome(Maybe<Int>.never()) == "")
        nonisolated(unsafe) var events: [String] = []
        for maybe in [Maybe.just(1), .empty(), .error(Failure.expected)] {
            _ = maybe.subscribe { event in events.append("\(event)") }
        }
        #expect(events == ["success(1)", "completed", "error(TestSupport.Failure.expected)"])
    }

    @Test("Only the first outcome counts", arguments: ["success", "completed", "error"])
    func firstOutcome(_ first: String) {
        let maybe = Maybe<Int>.create { receive in
            switch first {
            case "success": receive(.success(1))
            case "completed": receive(.completed)
            default: receive(.error(Failure.expected))
            }
            receive(.success(2))
            receive(.error(Failure.other))
            receive(.completed)
            return Disposables.create()
        }
        let expected = ["success": "1 completed", "completed": "completed", "error": "error(expected)"]
        #expect(text(of: maybe.asObservable()) == expected[first])
    }

    @Test("Each operator sends the expected events") func operators() {
        func check<Element>(_ maybe: Maybe<Element>, _ expected: String, line: Int = #line) {
            #expect(text(of: maybe.asObservable()) == expected, "line \(line)")
        }
        check(Maybe.just(1).map { $0 + 1 }, "2 completed")
        check(Maybe.just(1).map { _ -> Int in throw Failure.other }, "error(other)")
        check(Maybe.just(1).filter { $0 > 1 }, "completed")
        check(Maybe.just(2).filter { $0 > 1 }, "2 completed")
        check(Maybe.just("x").compactMap { Int($0) }, "completed")
        check(Maybe.just("1").compactMap { Int($0) }, "1 completed")
        check(Maybe.just(1).flatMap { .just("\($0)") }, "1 completed")
        check(Maybe.just(1).flatMap { _ in Maybe<Int>.empty() }, "completed")
        check(Maybe<Int>.empty().flatMap { Maybe.just($0) }, "completed")
        check(Maybe<Int>.error(Failure.expected).catchAndReturn(3), "3 completed")
    }

    @Test("ifEmpty replaces emptiness by an element or another source") func ifEmpty() {
        #expect(text(of: Maybe<Int>.empty().ifEmpty(default: 5).asObservable()) == "5 completed")
        #expect(text(of: Maybe.just(1).ifEmpty(default: 5).asObservable()) == "1 completed")
        #expect(text(of: Maybe<Int>.error(Failure.expected).ifEmpty(default: 5).asObservable()) == "error(expected)")
        let other = Maybe.just(6)
        #expect(text(of: Maybe<Int>.empty().ifEmpty(switchTo: other).asObservable()) == "6 completed")
        #expect(text(of: Maybe.just(1).ifEmpty(switchTo: other).asObservable()) == "1 completed")
        #expect(text(of: Maybe<Int>.empty().ifEmpty(switchTo: Maybe.empty()).asObservable()) == "completed")
        let single: Single<Int> = Maybe<Int>.empty().ifEmpty(switchTo: Single.just(7))
        #expect(text(of: single.asObservable()) == "7 completed")
    }

    @Test("ifEmpty subscribes to the other source only after an empty one") func ifEmptySubscription() {
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let log = EventLog(first.asMaybe().ifEmpty(switchTo: second.asMaybe()).asObservable())
        #expect(!second.hasObservers)
        first.onCompleted()
        #expect(second.hasObservers)
        log.dispose()
        #expect(!second.hasObservers && log.lines == [])
    }

    @Test("do runs the closures of the element and of the completion") func doClosures() {
        nonisolated(unsafe) var log: [String] = []
        func note(_ line: String) -> @Sendable () -> Void { { log.append(line) } }
        let maybe = Maybe.just(1).do(
            onNext: { log.append("onNext \($0)") }, afterNext: { log.append("afterNext \($0)") },
            onError: { log.append("onError \($0)") }, afterError: { log.append("afterError \($0)") },
            onCompleted: note("onCompleted"), afterCompleted: note("afterCompleted"),
            onSubscribe: note("onSubscribe"), onSubscribed: note("onSubscribed"), onDispose: note("onDispose"))
        _ = maybe.subscribe(onSuccess: { log.append("success \($0)") }, onDisposed: note("disposed"))
        #expect(
            log == [
                "onSubscribe", "onNext 1", "success 1", "disposed", "afterNext 1", "onCompleted", "afterCompleted",
                "onSubscribed", "onDispose",
            ])
        log = []
        _ = Maybe<Int>.error(Failure.expected).do(
            onNext: { _ in log.append("onNext") }, onError: { log.append("onError \($0)") },
            afterError: { log.append("afterError \($0)") }
        ).subscribe(onError: { log.append("error \($0)") })
        #expect(log == ["onError expected", "error expected", "afterError expected"])
    }

    @Test("subscribe(with:) does not retain the object") func weakObject() {
        final class Object {}
        var object: Object? = Object()
        nonisolated(unsafe) var calls: [String] = []
        let subject = PublishSubject<Int>()
        func subscribe() {
            _ = subject.asMaybe().subscribe(
                with: object!, onSuccess: { _, element in calls.append("success \(element)") },
                onCompleted: { _ in calls.append("completed") }, onDisposed: { _ in calls.append("disposed") })
        }
        subscribe()
        subject.onNext(1)
        subject.onCompleted()
        #expect(calls == ["success 1", "disposed"])
        let other = PublishSubject<Int>()
        _ = other.asMaybe().subscribe(with: object!, onCompleted: { _ in calls.append("late") })
        object = nil
        other.onCompleted()
        #expect(calls == ["success 1", "disposed"])
    }
}
