// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxRelay
import RxSwift
import TestSupport
import Testing

/// A session of a network library that answers by closure.
private final class Session {
    private var answers: [String: Result<String, any Error>]
    private let console: Console

    init(_ answers: [String: Result<String, any Error>], _ console: Console) {
        self.answers = answers
        self.console = console
    }

    func data(of repository: String, completion: @escaping (Result<String, any Error>) -> Void) {
        console.print("GET \(repository)")
        completion(answers[repository] ?? .failure(ExampleError.test))
    }

    /// Returns the same request as a sequence.
    func repository(_ name: String) -> Single<String> {
        Single<String>.create { single in
            self.data(of: name) { result in
                switch result {
                case .success(let data): single(.success(data))
                case .failure(let error): single(.failure(error))
                }
            }
            return Disposables.create()
        }
    }
}

private func store(_ succeeds: Bool) -> Completable {
    Completable.create { completable in
        guard succeeds else {
            completable(.error(ExampleError.test))
            return Disposables.create()
        }
        completable(.completed)
        return Disposables.create()
    }
}

private func generate(_ event: MaybeEvent<String>) -> Maybe<String> {
    Maybe<String>.create { maybe in
        maybe(event)
        // The sequence ignores the events after the first one.
        maybe(.completed)
        maybe(.success("other"))
        return Disposables.create()
    }
}

extension Documentation {
    @Suite struct TraitTests {
        static let single: [Example] = [
            Example("Single, success", prints: ["GET swift-rx", "JSON: {}"]) { console, disposeBag in
                Session(["swift-rx": .success("{}")], console).repository("swift-rx")
                    .subscribe { event in
                        switch event {
                        case .success(let json): console.print("JSON:", json)
                        case .failure(let error): console.print("Error:", error)
                        }
                    }
                    .disposed(by: disposeBag)
            },
            Example("Single, failure", prints: ["GET nothing", "Error: test"]) { console, disposeBag in
                Session([:], console).repository("nothing")
                    .subscribe(
                        onSuccess: { json in console.print("JSON:", json) },
                        onFailure: { error in console.print("Error:", error) }
                    )
                    .disposed(by: disposeBag)
            },
            Example("asSingle", prints: ["success(1)", "failure(Sequence contains more than one element.)"]) {
                console, disposeBag in
                Observable.of(1).asSingle().subscribe { console.print($0) }.disposed(by: disposeBag)
                Observable.of(1, 2).asSingle().subscribe { console.print($0) }.disposed(by: disposeBag)
            },
        ]

        static let completable: [Example] = [
            Example("Completable, completed", prints: ["Completed with no error"]) { console, disposeBag in
                store(true)
                    .subscribe { completable in
                        switch completable {
                        case .completed: console.print("Completed with no error")
                        case .error(let error): console.print("Completed with an error: \(error)")
                        }
                    }
                    .disposed(by: disposeBag)
            },
            Example("Completable, error", prints: ["Completed with an error: test"]) { console, disposeBag in
                store(false)
                    .subscribe(
                        onCompleted: { console.print("Completed with no error") },
                        onError: { error in console.print("Completed with an error: \(error)") }
                    )
                    .disposed(by: disposeBag)
            },
        ]

        static let maybe: [Example] = [
            MaybeEvent<String>.success("text"), .completed, .error(ExampleError.test),
        ].map { event in
            let documented =
                switch event {
                case .success(let element): "Completed with element \(element)"
                case .completed: "Completed with no element"
                case .error(let error): "Completed with an error \(error)"
                }
            return Example("Maybe, \(event)", prints: [documented, documented]) { console, disposeBag in
                generate(event)
                    .subscribe { maybe in
                        switch maybe {
                        case .success(let element): console.print("Completed with element \(element)")
                        case .completed: console.print("Completed with no element")
                        case .error(let error): console.print("Completed with an error \(error)")
                        }
                    }
                    .disposed(by: disposeBag)
                generate(event)
                    .subscribe(
                        onSuccess: { element in console.print("Completed with element \(element)") },
                        onError: { error in console.print("Completed with an error \(error)") },
                        onCompleted: { console.print("Completed with no element") }
                    )
                    .disposed(by: disposeBag)
            }
        }

        static let infallible: [Example] = [
            Example("Infallible", prints: ["hello", "completed"]) { console, disposeBag in
                Infallible<String>
                    .create { observer in
                        observer(.next("hello"))
                        observer(.completed)
                        return Disposables.create()
                    }
                    .subscribe(onNext: { console.print($0) }, onCompleted: { console.print("completed") })
                    .disposed(by: disposeBag)
            }
        ]

        @Test("Each example prints its documented output", arguments: single + completable + maybe + infallible)
        func documentedOutput(_ example: Example) {
            #expect(example.printed == example.documented)
        }

        @Test("A Single sends a request for each subscription") func singleRequests() {
            let console = Console()
            let repository = Session(["swift-rx": .success("{}")], console).repository("swift-rx")
            _ = repository.subscribe(onSuccess: { console.print("1", $0) })
            _ = repository.subscribe(onSuccess: { console.print("2", $0) })
            #expect(console.lines == ["GET swift-rx", "1 {}", "GET swift-rx", "2 {}"])
        }

        /// This is no part of the test function, where the compiler asks more of closures than in a program without concurrency.
        private static func driveThrice(_ console: Console, _ disposeBag: DisposeBag) {
            let teacher = PublishSubject<String>()
            let request = Observable<String>.deferred {
                console.print("GET teacher")
                return teacher
            }
            let shared: Driver<String> = request.asDriver(onErrorDriveWith: .empty())
            shared.drive(onNext: { console.print("1", $0) }).disposed(by: disposeBag)
            shared.drive(onNext: { console.print("2", $0) }).disposed(by: disposeBag)
            teacher.onNext("Ann")
            shared.drive(onNext: { console.print("3", $0) }).disposed(by: disposeBag)
            teacher.onError(ExampleError.test)
        }

        @Test("A driver sends one request for all its subscriptions") func driverRequests() async {
            #expect(
                await printedOnMainQueue(Self.driveThrice) == ["GET teacher", "1 Ann", "2 Ann", "3 Ann"])
        }
    }
}
