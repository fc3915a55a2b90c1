import RxSwift
import TestSupport
import Testing

/// The lines of KnownDifferences.md that are about traits and about errors without a closure.
@Suite(.serialized) struct TraitKnownDifferencesTests {
    /// The errors that nobody handled while a body ran.
    private func unhandled(_ body: () -> Void) -> [String] {
        let log = EventLog()
        let former = Hooks.defaultErrorHandler
        Hooks.defaultErrorHandler = { _, error in log.note("\(error)") }
        body()
        Hooks.defaultErrorHandler = former
        return log.lines
    }

    @Test func theFirstOutcomeOfASingleCounts() {
        let observers = EventLog()
        nonisolated(unsafe) var send: ((SingleEvent<Int>) -> Void)?
        let single = Single<Int>.create { observer in
            send = observer
            return Disposables.create()
        }
        let subscription = observers.observe(single.asObservable()) { event in
            if event.element == 1 { send?(.success(2)) }
        }
        send?(.success(1))
        #expect(observers.text == "1 completed")
        subscription.dispose()
        send = nil
    }

    @Test func anErrorWithoutAClosureGoesToTheHookAlsoWithAnObject() {
        let object = ReleaseToken()
        let errors = unhandled {
            _ = Observable<Int>.error(Failure.expected).subscribe(with: object, onNext: { _, _ in })
            _ = Single<Int>.error(Failure.expected).subscribe(with: object, onSuccess: { _, _ in })
            _ = Maybe<Int>.error(Failure.expected).subscribe(with: object, onSuccess: { _, _ in })
            _ = Completable.error(Failure.expected).subscribe(with: object, onCompleted: { _ in })
            _ = Infallible<Int>.deferred { throw Failure.expected }.subscribe(with: object, onNext: { _, _ in })
        }
        #expect(errors == Array(repeating: "expected", count: 5))
    }
}
