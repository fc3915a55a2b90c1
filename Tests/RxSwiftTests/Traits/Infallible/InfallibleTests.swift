// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct InfallibleTests {
    // MARK: Events and create

    @Test("An Infallible event converts to an Observable event") func eventConversion() {
        #expect(InfallibleEvent.next(1).event == .next(1))
        #expect(InfallibleEvent<Int>.completed.event == .completed)
    }

    @Test("No event passes after the completion") func eventsAfterCompleted() {
        let log = EventLog()
        let infallible = Infallible<Int>.create { observer in
            observer(.next(1))
            observer(.completed)
            return Disposables.create { log.note("work ended") }
        }
        _ = infallible.subscribe(
            onNext: { log.note("\($0)") }, onCompleted: { log.note("completed") }, onDisposed: { log.note("disposed") })
        #expect(log.lines == ["1", "completed", "disposed", "work ended"])
    }

    @Test("dispose ends the work and the events") func dispose() {
        let log = EventLog()
        var observer: Infallible<Int>.InfallibleObserver = { _ in }
        let infallible = Infallible<Int>.create { handed in
            observer = handed
            return Disposables.create { log.note("work ended") }
        }
        let subscription = infallible.subscribe(
            onNext: { log.note("\($0)") }, onCompleted: { log.note("completed") }, onDisposed: { log.note("disposed") })
        observer(.next(1))
        subscription.dispose()
        observer(.next(2))
        observer(.completed)
        #expect(log.lines == ["1", "work ended", "disposed"])
    }

    @Test("An event sent from inside a callback follows the current one") func eventInCallback() {
        let log = EventLog()
        var observer: Infallible<Int>.InfallibleObserver = { _ in }
        let infallible = Infallible<Int>.create { handed in
            observer = handed
            return Disposables.create()
        }
        let subscription = log.observe(infallible.asObservable()) { if $0 == .next(1) { observer(.next(2)) } }
        observer(.next(1))
        observer(.next(3))
        subscription.dispose()
        #expect(log.text == "1 2 3" && !log.hasOverlapped)
    }

    // MARK: Ways to subscribe

    @Test("The closure for all events receives all events") func eventClosure() {
        let log = EventLog()
        _ = Infallible.of(1, 2).subscribe { event in
            switch event {
            case .next(let element): log.note("\(element)")
            case .completed: log.note("completed")
            }
        }
        #expect(log.text == "1 2 completed")
    }

    @Test("The closures of subscribe are optional") func optionalClosures() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let first = Infallible(raw: subject).subscribe()
        let second = Infallible(raw: subject).subscribe(onDisposed: { log.note("disposed") })
        subject.onNext(1)
        #expect(subject.hasObservers)
        first.dispose()
        second.dispose()
        second.dispose()
        #expect(!subject.hasObservers && log.text == "disposed")
    }

    @Test("subscribe(with:) passes the object to the closures and does not retain it") func weakObject() {
        let log = EventLog()
        let subject = PublishSubject<Int>()
        var object: ReleaseToken? = ReleaseToken(7) { log.note("released") }
        _ = Infallible(raw: subject).subscribe(
            with: object!, onNext: { log.note("\($0) \($1)") }, onCompleted: { log.note("\($0) completed") },
            onDisposed: { log.note("\($0) disposed") })
        _ = Infallible.just(0).subscribe(
            with: object!, onNext: { log.note("\($0) \($1)") }, onCompleted: { log.note("\($0) completed") },
            onDisposed: { log.note("\($0) disposed") })
        subject.onNext(1)
        object = nil
        subject.onNext(2)
        subject.onCompleted()
        #expect(log.lines == ["7 0", "7 completed", "7 disposed", "7 1", "released"])
    }

    /// In a process of its own: the hooks belong to the process.
    @Test("An unexpected error goes to the default error handler") func unexpectedError() async {
        await #expect(processExitsWith: .success) {
            let log = EventLog()
            Hooks.defaultErrorHandler = { _, error in log.note("hook \(error)") }
            let source = PublishSubject<Int>()
            let infallible = Infallible(raw: source)
            _ = infallible.subscribe { event in log.note("\(event)") }
            _ = infallible.subscribe(onNext: { log.note("\($0)") }, onDisposed: { log.note("disposed") })
            _ = infallible.subscribe(with: log, onNext: { $0.note("object \($1)") }, onDisposed: { $0.note("gone") })
            source.onNext(1)
            source.onError(Failure.expected)
            source.onNext(2)
            let expected = [
                "next(1)", "1", "object 1", "hook expected", "hook expected", "disposed", "hook expected", "gone",
            ]
            precondition(log.lines == expected && !source.hasObservers, log.text)
        }
    }

    // MARK: Conversions

    @Test("asInfallible replaces an error by an element") func errorElement() throws {
        try expectMarbles(
            source: "^12#",
            result: "^12(9|)",
            active: "^--!"
        ) { source, _ in source.asInfallible(onErrorJustReturn: 9).asObservable() }
        try expectMarbles(
            source: "^1|",
            result: "^1|",
            active: "^-!"
        ) { source, _ in source.asInfallible(onErrorJustReturn: 9).asObservable() }
    }

    @Test("asInfallible replaces an error by another Infallible") func errorFallback() throws {
        try expectMarbles(
            source: "^-1-2-#",
            active: "^-----!",
            second: "^----7----8-|",
            during: "      ^-----!",
            result: "^-1-2-----8-|",
            ticks: 5
        ) { source, second, _ in source.asInfallible(onErrorFallbackTo: Infallible(raw: second)).asObservable() }
        try expectMarbles(
            source: "^1|",
            result: "^1|",
            active: "^-!"
        ) { source, _ in source.asInfallible(onErrorFallbackTo: .just(9)).asObservable() }
    }

    @Test("asInfallible replaces an error by an Infallible made from it") func errorRecovery() throws {
        try expectMarbles(
            source: "^12#",
            result: "^12(79|)",
            active: "^--!"
        ) { source, _ in
            source.asInfallible { error in .of(error as? Failure == .expected ? 7 : 8, 9) }.asObservable()
        }
    }

    @Test("An error of the recovery is not recovered") func failedRecovery() {
        let failing = Infallible(raw: Observable<Int>.error(Failure.other))
        let source = sequence(1, error: .expected)
        #expect(text(of: source.asInfallible(onErrorFallbackTo: failing).asObservable()) == "1 error(other)")
        #expect(text(of: source.asInfallible { _ in failing }.asObservable()) == "1 error(other)")
    }

    @Test("A Single converts to an Infallible") func fromSingle() {
        let single = Single<Int>.error(Failure.expected)
        #expect(text(of: single.asInfallible(onErrorJustReturn: 1).asObservable()) == "1 completed")
    }
}
