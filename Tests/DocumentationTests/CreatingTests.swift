// SPDX-License-Identifier: Apache-2.0

import RxSwift
import Testing

extension Documentation {
    @Suite struct CreatingTests {
        /// Returns a sequence of one element, as a program may write `just` itself.
        private static func onlyOne<Element>(_ element: Element) -> Observable<Element> {
            Observable.create { observer in
                observer.on(.next(element))
                observer.on(.completed)
                return Disposables.create()
            }
        }

        /// Returns a sequence of given elements, as a program may write `from` itself.
        private static func each<Element>(_ elements: [Element]) -> Observable<Element> {
            Observable.create { observer in
                for element in elements { observer.on(.next(element)) }
                observer.on(.completed)
                return Disposables.create()
            }
        }

        static let ready: [Example] = [
            Example("never", prints: []) { console, disposeBag in
                Observable<String>.never()
                    .subscribe { _ in console.print("This is not printed") }
                    .disposed(by: disposeBag)
            },
            Example("empty", prints: ["completed"]) { console, disposeBag in
                Observable<Int>.empty()
                    .subscribe { event in console.print(event) }
                    .disposed(by: disposeBag)
            },
            Example("just", prints: ["next(red)", "completed"]) { console, disposeBag in
                Observable.just("red")
                    .subscribe { event in console.print(event) }
                    .disposed(by: disposeBag)
            },
            Example("of", prints: ["dog", "cat", "mouse"]) { console, disposeBag in
                Observable.of("dog", "cat", "mouse")
                    .subscribe(onNext: { element in console.print(element) })
                    .disposed(by: disposeBag)
            },
            Example("subscribe to each kind of event", prints: ["Element: 1", "Completed", "Disposed"]) {
                console, disposeBag in
                Observable.just(1)
                    .subscribe(
                        onNext: { console.print("Element:", $0) },
                        onError: { console.print("Error:", $0) },
                        onCompleted: { console.print("Completed") },
                        onDisposed: { console.print("Disposed") }
                    )
                    .disposed(by: disposeBag)
            },
            Example("from", prints: ["dog", "cat", "mouse"]) { console, disposeBag in
                Observable.from(["dog", "cat", "mouse"])
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
            Example("range", prints: ["next(1)", "next(2)", "next(3)", "completed"]) { console, disposeBag in
                Observable.range(start: 1, count: 3)
                    .subscribe { console.print($0) }
                    .disposed(by: disposeBag)
            },
            Example("repeatElement", prints: ["red", "red", "red"]) { console, disposeBag in
                Observable.repeatElement("red")
                    .take(3)
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
            Example("generate", prints: ["0", "1", "2"]) { console, disposeBag in
                Observable.generate(initialState: 0, condition: { $0 < 3 }, iterate: { $0 + 1 })
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
            Example("error", prints: ["error(test)"]) { console, disposeBag in
                Observable<Int>.error(ExampleError.test)
                    .subscribe { console.print($0) }
                    .disposed(by: disposeBag)
            },
        ]

        static let ownRuns: [Example] = [
            Example("a just of one's own", prints: ["0"]) { console, disposeBag in
                onlyOne(0)
                    .subscribe(onNext: { n in console.print(n) })
                    .disposed(by: disposeBag)
            },
            Example(
                "each subscription is a run of its own",
                prints: ["Started ----", "first", "second", "----", "first", "second", "Ended ----"]
            ) { console, disposeBag in
                let words = each(["first", "second"])
                console.print("Started ----")
                words.subscribe(onNext: { word in console.print(word) }).disposed(by: disposeBag)
                console.print("----")
                words.subscribe(onNext: { word in console.print(word) }).disposed(by: disposeBag)
                console.print("Ended ----")
            },
            Example(
                "deferred",
                prints: [
                    "Creating 1", "Emitting...", "dog", "cat", "monkey",
                    "Creating 2", "Emitting...", "dog", "cat", "monkey",
                ]
            ) { console, disposeBag in
                var count = 1
                let animals = Observable<String>.deferred {
                    console.print("Creating \(count)")
                    count += 1
                    return Observable.create { observer in
                        console.print("Emitting...")
                        observer.onNext("dog")
                        observer.onNext("cat")
                        observer.onNext("monkey")
                        return Disposables.create()
                    }
                }
                animals.subscribe(onNext: { console.print($0) }).disposed(by: disposeBag)
                animals.subscribe(onNext: { console.print($0) }).disposed(by: disposeBag)
            },
            Example(
                "do",
                prints: [
                    "Intercepted: apple", "apple", "Intercepted after: apple",
                    "Intercepted: pear", "pear", "Intercepted after: pear",
                    "Completed", "After completed",
                ]
            ) { console, disposeBag in
                Observable.of("apple", "pear")
                    .do(
                        onNext: { console.print("Intercepted:", $0) },
                        afterNext: { console.print("Intercepted after:", $0) },
                        onError: { console.print("Intercepted error:", $0) },
                        afterError: { console.print("Intercepted after error:", $0) },
                        onCompleted: { console.print("Completed") },
                        afterCompleted: { console.print("After completed") }
                    )
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
            Example("nothing runs before someone subscribes", prints: ["no request yet", "request: me", "response"]) {
                console, disposeBag in
                func search(_ term: String) -> Observable<String> {
                    Observable.create { observer in
                        console.print("request:", term)
                        observer.onNext("response")
                        observer.onCompleted()
                        return Disposables.create()
                    }
                }
                let searchForMe = search("me")
                console.print("no request yet")
                searchForMe.subscribe(onNext: { console.print($0) }).disposed(by: disposeBag)
            },
            Example("nothing comes after the end", prints: ["next(1)", "completed"]) { console, disposeBag in
                let stubborn = Observable<Int>.create { observer in
                    observer.onNext(1)
                    observer.onCompleted()
                    observer.onNext(2)
                    observer.onError(ExampleError.test)
                    return Disposables.create()
                }
                stubborn.subscribe { console.print($0) }.disposed(by: disposeBag)
            },
        ]

        @Test("Each example prints its documented output", arguments: ready + ownRuns)
        func documentedOutput(_ example: Example) {
            #expect(example.printed == example.documented)
        }
    }
}
