// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct CreateExamples {
    /// ``ObservableType/just(_:)``
    @Test func just() throws {
        try expectPicture("result: (a|)") { _ in
            Observable.just("a")
        }
    }

    /// ``ObservableType/just(_:scheduler:)``
    @Test func justScheduled() throws {
        try expectPicture("result: -a|") { scheduler in
            Observable.just("a", scheduler: scheduler)
        }
    }

    /// ``ObservableType/of(_:scheduler:)``
    @Test func of() throws {
        try expectPicture("result: (abc|)") { _ in
            Observable.of("a", "b", "c")
        }
    }

    /// ``ObservableType/from(_:scheduler:)``
    @Test func from() throws {
        try expectPicture("result: (123|)") { _ in
            Observable.from([1, 2, 3])
        }
    }

    /// ``ObservableType/from(optional:)``
    @Test func fromOptional() throws {
        try expectPicture("result: (7|)") { _ in
            Observable.from(optional: Int("7"))
        }
    }

    /// ``ObservableType/from(optional:scheduler:)``
    @Test func fromOptionalScheduled() throws {
        try expectPicture("result: -7|") { scheduler in
            Observable.from(optional: Int("7"), scheduler: scheduler)
        }
    }

    /// ``ObservableType/empty()``
    @Test func empty() throws {
        try expectPicture("result: |") { _ in
            Observable<String>.empty()
        }
    }

    /// ``ObservableType/never()``
    @Test func never() throws {
        try expectPicture("result: --------") { _ in
            Observable<String>.never()
        }
    }

    /// ``ObservableType/error(_:)``
    @Test func error() throws {
        try expectPicture("result: #") { _ in
            Observable<String>.error(RxError.unknown)
        }
    }

    /// ``ObservableType/create(_:)``
    @Test func create() throws {
        try expectPicture("result: (ab|)") { _ in
            Observable<String>.create { observer in
                observer.onNext("a")
                observer.onNext("b")
                observer.onCompleted()
                return Disposables.create()
            }
        }
    }

    /// ``ObservableType/deferred(_:)``
    @Test func deferred() throws {
        try expectPicture("result: (12|)") { _ in
            var subscriptions = 0
            let source = Observable<Int>.deferred {
                subscriptions += 1
                return .just(subscriptions)
            }
            return source.concat(source)
        }
    }

    /// ``ObservableType/generate(initialState:condition:scheduler:iterate:)``
    @Test func generate() throws {
        try expectPicture("result: (124|)") { _ in
            Observable.generate(initialState: 1, condition: { $0 < 8 }, iterate: { $0 * 2 })
        }
    }

    /// ``ObservableType/range(start:count:scheduler:)``
    @Test func range() throws {
        try expectPicture("result: (345|)") { _ in
            Observable.range(start: 3, count: 3)
        }
    }

    /// ``ObservableType/repeatElement(_:scheduler:)``
    @Test func repeatElement() throws {
        try expectPicture("result: -aaa(a|)") { scheduler in
            Observable.repeatElement("a", scheduler: scheduler).take(4)
        }
    }

    /// ``ObservableType/using(_:observableFactory:)``
    @Test func usingFile() throws {
        try expectPicture(
            printing: """
                lines:   --a--b--|
                printed: o-------c  o = open, c = close
                result:  --a--b--|
                """
        ) { (lines: Observable<String>, _, print) in
            struct File: Disposable {
                let print: @Sendable (Any) -> Void
                func dispose() { print("close") }
            }

            return Observable.using(
                {
                    print("open")
                    return File(print: print)
                }, observableFactory: { file in lines })
        }
    }

    /// ``ObservableType/using(_:observableFactory:)``
    @Test func using() {
        expectPrinted("a line\nclose") { print in
            struct File: Disposable {
                let print: @Sendable (Any) -> Void
                func dispose() { print("close") }
            }

            let lines = Observable<String>.using({ File(print: print) }, observableFactory: { file in .just("a line") })
            _ = lines.subscribe(onNext: { print($0) })
        }
    }

    /// ``ObservableType/interval(_:scheduler:)``
    @Test func interval() throws {
        try expectPicture("result: --0-1-(2|)") { scheduler in
            Observable<Int>.interval(.seconds(2), scheduler: scheduler).take(3)
        }
    }

    /// ``ObservableType/timer(_:period:scheduler:)``
    @Test func timer() throws {
        try expectPicture("result: ----0-1-(2|)") { scheduler in
            Observable<Int>.timer(.seconds(4), period: .seconds(2), scheduler: scheduler).take(3)
        }
    }

    /// ``ObservableConvertibleType/asObservable()``
    @Test func asObservable() throws {
        try expectPicture("result: (7|)") { _ in
            let answer: Single<Int> = .just(7)
            return answer.asObservable()
        }
    }
}
