// SPDX-License-Identifier: Apache-2.0

import RxSwift
import Testing

extension Documentation {
    @Suite struct ErrorHandlingTests {
        /// Sends three fruits, and then fails the first few times it is subscribed to.
        private static func fruits(failing times: Int, _ console: Console) -> Observable<String> {
            var count = 0
            return Observable.create { observer in
                observer.onNext("apple")
                observer.onNext("pear")
                observer.onNext("orange")
                if count < times {
                    observer.onError(ExampleError.test)
                    console.print("Error encountered")
                    count += 1
                }
                observer.onNext("dog")
                observer.onNext("cat")
                observer.onCompleted()
                return Disposables.create()
            }
        }

        static let recoveries: [Example] = [
            Example("catchAndReturn", prints: ["next(grin)", "next(fear)", "next(smile)", "completed"]) {
                console, disposeBag in
                let moods = PublishSubject<String>()
                moods.catchAndReturn("smile").subscribe { console.print($0) }.disposed(by: disposeBag)
                moods.onNext("grin")
                moods.onNext("fear")
                moods.onError(ExampleError.test)
            },
            Example("catch", prints: ["next(grin)", "next(fear)", "Error: test", "next(smile)"]) {
                console, disposeBag in
                let moods = PublishSubject<String>()
                let recovery = PublishSubject<String>()
                moods
                    .catch {
                        console.print("Error:", $0)
                        return recovery
                    }
                    .subscribe { console.print($0) }
                    .disposed(by: disposeBag)
                moods.onNext("grin")
                moods.onNext("fear")
                moods.onError(ExampleError.test)
                recovery.onNext("smile")
            },
            Example(
                "catch continues with a list",
                prints: ["next(1)", "next(2)", "next(100)", "next(200)", "completed"]
            ) { console, disposeBag in
                let numbers = PublishSubject<Int>()
                numbers
                    .catch { _ in Observable.of(100, 200) }
                    .subscribe { console.print($0) }
                    .disposed(by: disposeBag)
                numbers.onNext(1)
                numbers.onNext(2)
                numbers.onError(ExampleError.test)
            },
            Example("data of the cache when the network fails", prints: ["got cached"]) { console, disposeBag in
                let network = Observable<String>.error(ExampleError.test)
                let cache = Observable.just("cached")
                network
                    .catch { _ in cache }
                    .subscribe(onNext: { data in console.print("got \(data)") })
                    .disposed(by: disposeBag)
            },
        ]

        static let retries: [Example] = [
            Example(
                "retry",
                prints: [
                    "apple", "pear", "orange", "Error encountered", "apple", "pear", "orange", "dog", "cat",
                ]
            ) { console, disposeBag in
                fruits(failing: 1, console)
                    .retry()
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
            Example(
                "retry with a maximum",
                prints: [
                    "next(apple)", "next(pear)", "next(orange)", "Error encountered",
                    "next(apple)", "next(pear)", "next(orange)", "Error encountered",
                    "next(apple)", "next(pear)", "next(orange)", "Error encountered",
                    "error(test)",
                ]
            ) { console, disposeBag in
                fruits(failing: 4, console)
                    .retry(3)
                    .subscribe { console.print($0) }
                    .disposed(by: disposeBag)
            },
            Example(
                "retry until it succeeds",
                prints: [
                    "request 1", "request 2", "request 3", "success",
                ]
            ) { console, disposeBag in
                var count = 0
                let request = Single<String>.create { single in
                    count += 1
                    console.print("request \(count)")
                    single(count < 3 ? .failure(ExampleError.test) : .success("success"))
                    return Disposables.create()
                }
                request
                    .retry(4)
                    .subscribe(onSuccess: { console.print($0) }, onFailure: { console.print("failed:", $0) })
                    .disposed(by: disposeBag)
            },
        ]

        /// Examples of a form's button with a request that fails.
        static let updates: [Example] = [
            Example("an error of a request ends the button", prints: ["updated Ann", "failed: test"]) {
                console, disposeBag in
                let taps = PublishSubject<String>()
                taps
                    .flatMapLatest { name in update(name) }
                    .subscribe(
                        onNext: { console.print("updated", $0) }, onError: { console.print("failed:", $0) }
                    )
                    .disposed(by: disposeBag)
                for name in ["Ann", "nobody", "Bob"] { taps.onNext(name) }
            },
            Example("a Result does not", prints: ["updated Ann", "failed: test", "updated Bob"]) {
                console, disposeBag in
                let taps = PublishSubject<String>()
                taps
                    .flatMapLatest { name -> Observable<Result<String, any Error>> in
                        update(name)
                            .map(Result.success)
                            .catch { error in Observable.just(Result.failure(error)) }
                    }
                    .subscribe(onNext: { result in
                        switch result {
                        case .success(let name): console.print("updated", name)
                        case .failure(let error): console.print("failed:", error)
                        }
                    })
                    .disposed(by: disposeBag)
                for name in ["Ann", "nobody", "Bob"] { taps.onNext(name) }
            },
            Example("materialize does not", prints: ["updated Ann", "updated Bob", "failures: 1"]) {
                console, disposeBag in
                let taps = PublishSubject<String>()
                var failures = 0
                let results = taps.flatMapLatest { name in update(name).materialize() }.share()
                results.compactMap { $0.element }
                    .subscribe(onNext: { console.print("updated", $0) })
                    .disposed(by: disposeBag)
                results.compactMap { $0.error }
                    .subscribe(onNext: { _ in failures += 1 })
                    .disposed(by: disposeBag)
                for name in ["Ann", "nobody", "Bob"] { taps.onNext(name) }
                console.print("failures: \(failures)")
            },
        ]

        private static func update(_ name: String) -> Observable<String> {
            name == "nobody" ? .error(ExampleError.test) : .just(name)
        }

        @Test("Each example prints its documented output", arguments: recoveries + retries + updates)
        func documentedOutput(_ example: Example) {
            #expect(example.printed == example.documented)
        }
    }
}
