// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxSwift
import TestSupport
import Testing

@Suite struct BindTests {
    /// The forms that pass all events, with two observers that log `a` and `b`.
    typealias Form = @Sendable (_ source: Observable<Int>, _ log: EventLog) -> any Disposable

    static let forms: [Form] = [
        { $0.bind(to: noting("a ", $1), noting("b ", $1)) },
        { $0.bind(to: notingOptionals("a ", $1), notingOptionals("b ", $1)) },
    ]

    static let infallibleForms: [Form] = [
        { Infallible(raw: $0).bind(to: noting("a ", $1), noting("b ", $1)) },
        { Infallible(raw: $0).bind(to: notingOptionals("a ", $1), notingOptionals("b ", $1)) },
    ]

    static func noting(_ name: String, _ log: EventLog) -> AnyObserver<Int> {
        AnyObserver { log.note(name + $0.debugDescription) }
    }

    static func notingOptionals(_ name: String, _ log: EventLog) -> AnyObserver<Int?> {
        AnyObserver { log.note(name + $0.map { $0! }.debugDescription) }
    }

    @Test(
        "Each event reaches all observers through one subscription",
        arguments: [forms[0], forms[1], infallibleForms[0], infallibleForms[1]])
    func oneSubscription(_ bind: Form) {
        let log = EventLog()
        let source = Observable<Int>.create { observer in
            log.note("subscribed")
            observer.onNext(1)
            observer.onNext(2)
            observer.onCompleted()
            return Disposables.create { log.note("disposed") }
        }
        _ = bind(source, log)
        #expect(
            log.lines == [
                "subscribed", "a next(1)", "b next(1)", "a next(2)", "b next(2)", "a completed", "b completed",
                "disposed",
            ])
    }

    /// A sequence of a user's own that goes on after its end.
    struct Careless: ObservableType {
        typealias Element = Int
        let log: EventLog

        func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Int {
            observer.onNext(1)
            observer.onCompleted()
            observer.onNext(2)
            observer.onCompleted()
            return Disposables.create { self.log.note("disposed") }
        }
    }

    @Test("A sequence of a user's own reaches observers only up to its end", arguments: [false, true])
    func carelessSequence(_ isOptional: Bool) {
        let log = EventLog()
        let source = Careless(log: log)
        _ =
            isOptional
            ? source.bind(to: Self.notingOptionals("a ", log)) : source.bind(to: ObserverOfCareless(log: log))
        #expect(log.lines == ["a next(1)", "a completed", "disposed"])
    }

    /// Unlike an `AnyObserver`, it does not look whether the sequence has ended.
    struct ObserverOfCareless: ObserverType {
        let log: EventLog

        func on(_ event: Event<Int>) { log.note("a \(event)") }
    }

    @Test("An error reaches all observers", arguments: forms) func errors(_ bind: Form) {
        let log = EventLog()
        _ = bind(sequence(1, error: .expected), log)
        #expect(log.lines == ["a next(1)", "b next(1)", "a error(expected)", "b error(expected)"])
    }

    @Test("dispose ends the binding", arguments: [forms[0], forms[1], infallibleForms[0], infallibleForms[1]])
    func dispose(_ bind: Form) {
        let log = EventLog()
        let subject = PublishSubject<Int>()
        let subscription = bind(subject, log)
        subject.onNext(1)
        subscription.dispose()
        subject.onNext(2)
        #expect(log.lines == ["a next(1)", "b next(1)"] && !subject.hasObservers)
    }

    @Test("bind returns the result of its function") func functionResult() {
        let source = Observable.of(1, 2, 3)
        let infallible = Infallible<Int>(raw: source)
        let doubled: Observable<Int> = source.bind { $0.map { $0 * 2 } }
        let doubledInfallible: Observable<Int> = infallible.bind { $0.asObservable().map { $0 * 2 } }
        #expect(events(of: doubled) == ["2", "4", "6", "completed"])
        #expect(events(of: doubledInfallible) == ["2", "4", "6", "completed"])
        func times(_ source: Observable<Int>) -> (Int) -> Observable<Int> { { factor in source.map { $0 * factor } } }
        #expect(events(of: source.bind(to: times, curriedArgument: 3)) == ["3", "6", "9", "completed"])
        let curried = infallible.bind(to: { infallible in times(infallible.asObservable()) }, curriedArgument: 3)
        #expect(events(of: curried) == ["3", "6", "9", "completed"])
    }

    @Test("A closure receives the elements") func closure() {
        let log = EventLog()
        let source = Observable.of(1, 2)
        _ = source.bind(onNext: { log.note("a \($0)") })
        _ = source.bind { (number: Int) in log.note("b \(number)") }
        _ = Infallible(raw: source).bind(onNext: { log.note("c \($0)") })
        #expect(log.lines == ["a 1", "a 2", "b 1", "b 2", "c 1", "c 2"])
    }

    @Test("bind(with:) does not retain the object") func weakObject() {
        let log = EventLog()
        let subject = PublishSubject<Int>()
        var object: ReleaseToken? = ReleaseToken(7)
        let subscription = subject.bind(with: object!) { object, number in log.note("\(object) \(number)") }
        subject.onNext(1)
        object = nil
        subject.onNext(2)
        subscription.dispose()
        #expect(log.lines == ["7 1"] && !subject.hasObservers)
    }

    @Test("A binding releases its closure at its end", arguments: [false, true]) func release(isDisposed: Bool) {
        weak var token: ReleaseToken?
        let subject = PublishSubject<Int>()
        let subscription: any Disposable
        do {
            let strong = ReleaseToken()
            token = strong
            subscription = subject.bind(onNext: { _ in _ = strong })
        }
        if isDisposed { subscription.dispose() } else { subject.onCompleted() }
        #expect(token == nil)
        withExtendedLifetime(subscription) {}
    }

    #if DEBUG
        @Test("An error stops the program in debug builds") func errorStops() async {
            await #expect(processExitsWith: .failure) {
                _ = Observable<Int>.error(Failure.expected).bind(onNext: { _ in })
            }
            await #expect(processExitsWith: .failure) {
                _ = Observable<Int>.error(Failure.expected).bind(with: ReleaseToken(), onNext: { _, _ in })
            }
        }
    #else
        @Test("An error goes to the default error handler in release builds") func errorHandler() async {
            await #expect(processExitsWith: .success) {
                let log = EventLog()
                Hooks.defaultErrorHandler = { _, error in log.note("\(error)") }
                _ = Observable<Int>.error(Failure.expected).bind(onNext: { _ in })
                _ = Observable<Int>.error(Failure.expected).bind(with: ReleaseToken(), onNext: { _, _ in })
                precondition(log.lines == ["expected", "expected"])
            }
        }
    #endif
}
