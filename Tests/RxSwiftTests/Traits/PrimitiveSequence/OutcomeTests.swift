// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

/// Subscriptions to sequences of one outcome, also if the sequence does not keep its promise.
@Suite struct OutcomeTests {
    @Test("A Single without an element fails") func noElement() {
        nonisolated(unsafe) var log: [String] = []
        _ = Single.just(1).retry(0).subscribe(
            onSuccess: { log.append("success \($0)") }, onFailure: { log.append("failure \($0)") },
            onDisposed: { log.append("disposed") })
        #expect(log == ["failure \(RxError.noElements)", "disposed"])
        log = []
        _ = Single(raw: Observable<Int>.empty()).subscribe { result in
            if case .failure(let error) = result { log.append("\(error)") }
        }
        #expect(log == ["\(RxError.noElements)"])
    }

    @Test(
        "A subscriber ignores the events after the element",
        arguments: [sequence(1, 2), sequence(1, error: .expected), sequence(1, 2, error: .expected)])
    func laterEvents(source: Observable<Int>) {
        nonisolated(unsafe) var log: [String] = []
        _ = Single(raw: source).subscribe(
            onSuccess: { log.append("\($0)") }, onFailure: { log.append("\($0)") },
            onDisposed: { log.append("disposed") })
        _ = Maybe(raw: source).subscribe(
            onSuccess: { log.append("\($0)") }, onError: { log.append("\($0)") },
            onCompleted: { log.append("completed") }, onDisposed: { log.append("disposed") })
        #expect(log == ["1", "disposed", "1", "disposed"])
    }

    @Test("onDisposed runs at the element") func onDisposed() {
        let scheduler = ticks()
        nonisolated(unsafe) var log: [String] = []
        _ = Single.just(1, scheduler: scheduler).do(afterSuccess: { _ in log.append("after") }).subscribe(
            onSuccess: { _ in log.append("success \(scheduler.clock)") },
            onDisposed: { log.append("disposed \(scheduler.clock)") })
        scheduler.start()
        #expect(log == ["success 1", "disposed 1", "after"])
    }

    @Test("A dispose inside onSuccess ends the source") func disposeInOnSuccess() {
        let subscription = SerialDisposable()
        let source = PublishSubject<Int>()
        nonisolated(unsafe) var log: [String] = []
        subscription.disposable = Single(raw: source).subscribe(
            onSuccess: { _ in
                subscription.dispose()
                log.append("success")
            }, onDisposed: { log.append("disposed") })
        source.onNext(1)
        source.onNext(2)
        #expect(log == ["disposed", "success"])
        #expect(!source.hasObservers)
    }

    @Test("The subscription waits for the end of the source after the element") func sourceEnd() {
        let source = PublishSubject<Int>()
        let subscription = Single(raw: source).subscribe()
        source.onNext(1)
        #expect(source.hasObservers)
        subscription.dispose()
        #expect(!source.hasObservers)
    }

    @Test(
        "An unhandled error goes to the default error handler",
        arguments: ["single", "single without an element", "maybe", "completable"])
    func unhandledErrors(_ kind: String) {
        nonisolated(unsafe) var errors: [String] = []
        let before = Hooks.defaultErrorHandler
        Hooks.defaultErrorHandler = { _, error in errors.append("\(error)") }
        defer { Hooks.defaultErrorHandler = before }
        switch kind {
        case "single": _ = Single<Int>.error(Failure.expected).subscribe()
        case "maybe": _ = Maybe<Int>.error(Failure.expected).subscribe()
        case "completable": _ = Completable.error(Failure.expected).subscribe()
        default: _ = Single(raw: Observable<Int>.empty()).subscribe()
        }
        #expect(errors == [kind.contains("without") ? "\(RxError.noElements)" : "expected"])
    }

    @Test("An outcome sent from inside the callback is too late") func outcomeInCallback() {
        Hooks.contractViolationHandler = { _ in }
        nonisolated(unsafe) var receiver: ((SingleEvent<Int>) -> Void)?
        let single = Single<Int>.create { receive in
            receiver = receive
            return Disposables.create()
        }
        let log = EventLog()
        let subscription = log.observe(single.asObservable()) { _ in receiver?(.success(2)) }
        receiver?(.success(1))
        #expect(log.lines == ["1", "completed"])
        subscription.dispose()
        receiver = nil
    }

    @Test("Only one of several racing outcomes arrives") func outcomeRace() {
        Hooks.contractViolationHandler = { _ in }
        for _ in 0..<300 {
            nonisolated(unsafe) var receiver: ((MaybeEvent<Int>) -> Void)?
            let log = EventLog()
            let maybe = Maybe<Int>.create { receive in
                receiver = receive
                return Disposables.create()
            }
            let subscription = log.observe(maybe.asObservable())
            nonisolated(unsafe) let receive = receiver!
            receiver = nil
            race({ receive(.success(1)) }, { receive(.success(2)) }, { receive(.completed) })
            #expect(["1 completed", "2 completed", "completed"].contains(log.text))
            #expect(!log.hasOverlapped)
            subscription.dispose()
        }
    }

    #if TRACE_RESOURCES
        /// In a process of its own, since the count is the process's.
        @Test("No object of the sequence is left behind") func noLeak() async {
            await #expect(processExitsWith: .success) {
                let subject = PublishSubject<Int>()
                let before = Resources.total
                let subscription = Single(raw: subject).subscribe(onDisposed: {})
                subject.onNext(1)
                subject.onCompleted()
                Completable.never().andThen(Single.just(1)).subscribe(onDisposed: {}).dispose()
                _ = Single(raw: Observable<Int>.empty()).subscribe(onFailure: { _ in }, onDisposed: {})
                // The disposable that the user holds.
                precondition(Resources.total == before + 1, "\(Resources.census())")
                withExtendedLifetime(subscription) {}
            }
        }
    #endif
}
