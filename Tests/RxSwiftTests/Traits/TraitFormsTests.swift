// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// The ways in which programs for RxSwift write these calls. That this compiles is half of the test.
@Suite struct TraitFormsTests {
    @Test("A function may take the place of a closure") func functions() {
        #expect(text(of: Single.just(1).flatMap(Single.just).asObservable()) == "1 completed")
        #expect(text(of: Single.just(1).flatMapMaybe(Maybe.just).asObservable()) == "1 completed")
        #expect(text(of: Maybe.just(1).flatMap(Maybe.just).asObservable()) == "1 completed")
        let results: Single<Result<Int, any Error>> = Single.just(1).map(Result.success)
            .catch { .just(.failure($0)) }
        nonisolated(unsafe) var values: [Int] = []
        _ = results.subscribe(onSuccess: { if case .success(let value) = $0 { values.append(value) } })
        #expect(values == [1])
        #expect(text(of: Single.just("1").map(Int.init).asObservable()) == "Optional(1) completed")
        #expect(text(of: Observable.of(1, 2).flatMap(Single.just)) == "1 2 completed")
        let passed: Single<Int> = Single.error(Failure.expected).catch(Single.error)
        #expect(text(of: passed.asObservable()) == "error(expected)")
        #expect(text(of: Completable.error(Failure.other).catch(Completable.error).asObservable()) == "error(other)")
    }

    @Test("Closures need no types") func untypedClosures() {
        let user = Single.just(7).flatMap { id in Single.just("user \(id)") }
        #expect(text(of: user.asObservable()) == "user 7 completed")
        let saved = Single.just(7).flatMapCompletable { _ in .empty() }.andThen(Single.just("saved"))
        #expect(text(of: saved.asObservable()) == "saved completed")
        let inner = Observable.of(1, 2).concatMap { number in
            Single<Int>.create { single in
                single(.success(number * 10))
                return Disposables.create()
            }
        }
        #expect(text(of: inner) == "10 20 completed")
        let mixed: Observable<Int> = Observable.of(1, 2).flatMap { number -> Maybe<Int> in
            number == 1 ? .empty() : .just(number)
        }
        #expect(text(of: mixed) == "2 completed")
        let retried = Single<Int>.error(Failure.expected).retry(when: { errors in errors.take(1).map { _ in () } })
        #expect(text(of: retried.asObservable()) == "completed")
    }

    @Test("Calls may begin with a dot") func leadingDots() {
        let single: Single<Int> = Completable.empty().andThen(.just(1))
        #expect(text(of: single.asObservable()) == "1 completed")
        let completable: Completable = .zip(.empty(), .concat(.empty(), .empty()))
        #expect(text(of: completable.asObservable()) == "completed")
        let maybe: Maybe<Int> = .create { maybe in
            maybe(.completed)
            return Disposables.create()
        }
        #expect(text(of: maybe.asObservable()) == "completed")
        let deferred: Completable = .deferred { .error(Failure.expected) }
        #expect(text(of: deferred.asObservable()) == "error(expected)")
    }

    @Test("zip takes collections") func zipOfCollections() {
        #expect(text(of: Single.zip([.just(1), .just(2)]).asObservable()) == "[1, 2] completed")
        let sum = Single.zip([Single.just(1), .just(2)]) { $0.reduce(0, +) }
        #expect(text(of: sum.asObservable()) == "3 completed")
        let named: Single<String> = Single.zip([1, 2].map { Single.just($0) }, resultSelector: { "\($0)" })
        #expect(text(of: named.asObservable()) == "[1, 2] completed")
    }

    @Test("subscribe takes trailing closures") func trailingClosures() {
        nonisolated(unsafe) var log: [String] = []
        _ = Single.just(1).subscribe { log.append("\($0)") }
        _ = Single.just(2).subscribe {
            log.append("\($0)")
        } onFailure: { _ in
        }
        _ = Single.just(3).subscribe { result in
            switch result {
            case .success(let number): log.append("success \(number)")
            case .failure(let error): log.append("failure \(error)")
            }
        }
        _ = Maybe.just(4).subscribe { event in
            switch event {
            case .success(let number): log.append("success \(number)")
            case .error(let error): log.append("error \(error)")
            case .completed: log.append("completed")
            }
        }
        _ = Completable.empty().subscribe { event in
            switch event {
            case .completed: log.append("completed")
            case .error(let error): log.append("error \(error)")
            }
        }
        _ = Completable.empty().subscribe(onCompleted: { log.append("done") })
        _ = Completable.empty().subscribe {
            log.append("closure")
        } onError: { _ in
            log.append("error")
        }
        let completions = log.dropFirst(2)
        #expect(log.prefix(2) == ["success(1)", "2"])
        #expect(completions == ["success 3", "success 4", "completed", "done", "closure"])
    }

    @Test("The types of observers have names") func observerTypes() {
        nonisolated(unsafe) var single: Single<Int>.SingleObserver?
        nonisolated(unsafe) var maybe: Maybe<Int>.MaybeObserver?
        nonisolated(unsafe) var completable: Completable.CompletableObserver?
        let singles = EventLog(
            Single<Int>.create {
                single = $0
                return Disposables.create()
            }.asObservable())
        let maybes = EventLog(
            Maybe<Int>.create {
                maybe = $0
                return Disposables.create()
            }.asObservable())
        let completables = EventLog(
            Completable.create {
                completable = $0
                return Disposables.create()
            }.asObservable())
        single?(.success(1))
        maybe?(.success(2))
        completable?(.completed)
        #expect([singles.text, maybes.text, completables.text] == ["1 completed", "2 completed", "completed"])
    }
}
