// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// The lines of KnownDifferences.md that are about traits and about errors without a closure.
@Suite(.serialized) struct TraitKnownDifferencesTests {
    /// Runs a body, and returns the errors that no closure handled meanwhile.
    private func unhandled(_ body: () -> Void) -> [String] {
        let log = EventLog()
        let former = Hooks.defaultErrorHandler
        Hooks.defaultErrorHandler = { _, error in log.note("\(error)") }
        body()
        Hooks.defaultErrorHandler = former
        return log.lines
    }

    @Test("The first outcome of a Single counts") func firstOutcome() {
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

    @Test("An error without a closure goes to the default error handler, also with an object") func unhandledErrors() {
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

    @Test("A cancelled task gets no more of the elements that wait in `values`") func cancelledValues() async {
        let values = Infallible.of(1, 2, 3).values
        let received = await Task {
            var received: [Int] = []
            for await element in values {
                received.append(element)
                withUnsafeCurrentTask { $0?.cancel() }
            }
            return received
        }.value
        #expect(received == [1])
    }
}
