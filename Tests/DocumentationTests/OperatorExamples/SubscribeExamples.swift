// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct SubscribeExamples {
    /// ``ObservableType/subscribe(onNext:onError:onCompleted:onDisposed:)``
    @Test func subscribe() {
        expectPrinted("1\n2\ncompleted\ndisposed") { print in
            let subscription = Observable.of(1, 2).subscribe(
                onNext: { print($0) }, onError: { print("failed: \($0)") }, onCompleted: { print("completed") },
                onDisposed: { print("disposed") })
            subscription.dispose()
        }
    }

    /// ``ObservableType/subscribe(_:)``, ``Observable/subscribe(_:)``
    @Test func subscribeToEvents() {
        expectPrinted("next(1)\nnext(2)\ncompleted") { print in
            let subscription = Observable.of(1, 2).subscribe { event in print(event) }
            subscription.dispose()
        }
    }

    /// ``ObservableType/subscribe(with:onNext:onError:onCompleted:onDisposed:)``
    @Test func subscribeWith() {
        expectPrinted("Ada: 1") { print in
            final class Person { let name = "Ada" }

            let person = Person()
            let numbers = PublishSubject<Int>()
            _ = numbers.subscribe(with: person, onNext: { person, number in print("\(person.name): \(number)") })
            numbers.onNext(1)
        }
    }

    /// ``ObservableType/do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)``
    @Test func doOnNext() throws {
        try expectPicture(
            printing: """
                source:  -1--2--3-|
                printed: -1--2--3-e  e = end
                result:  -1--2--3-|
                """
        ) { (source: Observable<Int>, _, print) in
            source.do(onNext: { print($0) }, onCompleted: { print("end") })
        }
    }

    /// ``ObservableType/do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)``
    @Test func doOn() {
        expectPrinted("subscribe\nbefore 1\ngot 1\nafter 1\ncompleted") { print in
            let numbers = Observable.just(1).do(
                onNext: { print("before \($0)") }, afterNext: { print("after \($0)") },
                onCompleted: { print("completed") }, onSubscribe: { print("subscribe") })
            _ = numbers.subscribe(onNext: { print("got \($0)") })
        }
    }

    /// ``ObservableType/debug(_:trimOutput:file:line:function:)``
    @Test func debug() {
        expectPrinted("6") { print in
            // Writes each subscription, event and disposal with its time to standard output.
            _ = Observable.of(1, 2, 3)
                .debug("numbers")
                .reduce(0) { $0 + $1 }
                .subscribe(onNext: { print($0) })
        }
    }

    /// ``ObservableConvertibleType/values``
    @Test func values() async throws {
        try await expectPrinted("1\n2") { print in
            for try await number in Observable.of(1, 2).values { print(number) }
        }
    }

    /// ``ObservableConvertibleType/values(buffering:onDropped:)``
    @Test func valuesBuffering() async throws {
        try await expectPrinted("1\n2\n3") { print in
            let numbers = Observable.range(start: 1, count: 3)
            for try await number in numbers.values(buffering: .suspend) { print(number) }
        }
    }

    /// ``ObservableConvertibleType/asInfallible(onErrorJustReturn:)``, ``ObservableConvertibleType/asInfallible(onErrorFallbackTo:)``, ``ObservableConvertibleType/asInfallible(onErrorRecover:)``
    @Test func asInfallible() throws {
        try expectPicture(
            """
            source: -1--2--#
            result: -1--2--(0|)
            """
        ) { (source: Observable<Int>, _) in
            source.asInfallible(onErrorJustReturn: 0).asObservable()
        }
    }
}
