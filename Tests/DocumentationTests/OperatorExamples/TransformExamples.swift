// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct TransformExamples {
    /// ``ObservableType/map(_:)``
    @Test func map() throws {
        try expectPicture(
            """
            source: -1--2--3-|
            result: -x--y--z-|  x = 10, y = 20, z = 30
            """
        ) { (source: Observable<Int>, _) in
            source.map { $0 * 10 }
        }
    }

    /// ``ObservableType/compactMap(_:)``
    @Test func compactMap() throws {
        try expectPicture(
            """
            source: -1--a--3-|
            result: -1-----3-|
            """
        ) { (source: Observable<String>, _) in
            source.compactMap { Int($0) }
        }
    }

    /// ``ObservableType/scan(_:accumulator:)``
    @Test func scan() throws {
        try expectPicture(
            """
            source: -1--2--3-|
            result: -1--3--6-|
            """
        ) { (source: Observable<Int>, _) in
            source.scan(0) { sum, element in sum + element }
        }
    }

    /// ``ObservableType/scan(into:accumulator:)``
    @Test func scanInto() throws {
        try expectPicture(
            """
            source: -a--b--c-|
            result: -x--y--z-|  x = a, y = ab, z = abc
            """
        ) { (source: Observable<String>, _) in
            source.scan(into: "") { text, element in text += element }
        }
    }

    /// ``ObservableType/enumerated()``
    @Test func enumerated() throws {
        try expectPicture(
            """
            source: -a--b--c-|
            result: -x--y--z-|  x = 0 a, y = 1 b, z = 2 c
            """
        ) { (source: Observable<String>, _) in
            source.enumerated().map { index, element in "\(index) \(element)" }
        }
    }

    /// ``ObservableType/materialize()``
    @Test func materialize() throws {
        try expectPicture(
            """
            source: -a--b--#
            result: -x--y--(z|)  x = next, y = next, z = error
            """
        ) { (source: Observable<String>, _) in
            source.materialize().map { event in
                switch event {
                case .next: "next"
                case .error: "error"
                case .completed: "completed"
                }
            }
        }
    }

    /// ``ObservableType/dematerialize()``
    @Test func dematerialize() throws {
        try expectPicture(
            """
            source: -a--b--c-|
            result: -a--b--|
            """
        ) { (source: Observable<String>, _) in
            source.map { $0 == "c" ? Event.completed : Event.next($0) }.dematerialize()
        }
    }

    /// ``ObservableType/groupBy(keySelector:)``
    @Test func groupBy() throws {
        try expectPicture(
            """
            source: -1-2-3-4-|
            result: -a-b-c-d-|  a = odd 1, b = even 2, c = odd 3, d = even 4
            """
        ) { (source: Observable<Int>, _) in
            source.groupBy { $0.isMultiple(of: 2) ? "even" : "odd" }
                .flatMap { group in group.map { "\(group.key) \($0)" } }
        }
    }

    /// ``ObservableType/groupBy(_:until:)``
    @Test func groupByUntil() throws {
        try expectPicture(
            """
            source: -1-3-5-7-|
            result: ---a---b-|  a = [1 3], b = [5 7]
            """
        ) { (source: Observable<Int>, _) in
            source.groupBy({ $0.isMultiple(of: 2) }, until: { group in group.skip(1).take(1) })
                .flatMap { group in group.toArray() }
                .map { "[\($0[0]) \($0[1])]" }
        }
    }

    /// ``ObservableType/groupBy(_:idleTimeout:scheduler:)``
    @Test func groupByIdleTimeout() throws {
        try expectPicture(
            """
            source: -aa------a------|
            result: -----2------1---|
            """
        ) { (source: Observable<String>, scheduler) in
            source.groupBy({ $0 }, idleTimeout: .seconds(3), scheduler: scheduler)
                .flatMap { session in session.toArray().map(\.count) }
        }
    }

    /// ``ObservableType/window(timeSpan:count:scheduler:)``
    @Test func window() throws {
        try expectPicture(
            """
            source: -a-b---c----|
            result: ----2---1---(0|)
            """
        ) { (source: Observable<String>, scheduler) in
            source.window(timeSpan: .seconds(4), count: 3, scheduler: scheduler)
                .flatMap { window in window.toArray().map(\.count) }
        }
    }

    /// ``ObservableType/buffer(timeSpan:count:scheduler:)``
    @Test func buffer() throws {
        try expectPicture(
            """
            source: -a-b---c----|
            result: ----x---y---(z|)  x = ab, y = c, z = none
            """
        ) { (source: Observable<String>, scheduler) in
            source.buffer(timeSpan: .seconds(4), count: 3, scheduler: scheduler)
                .map { $0.isEmpty ? "none" : $0.joined() }
        }
    }

    /// ``ObservableType/decode(type:decoder:)``
    @Test func decode() {
        expectPrinted("Ada") { print in
            struct User: Decodable { let name: String }

            _ = Observable.just(Data(#"{"name": "Ada"}"#.utf8))
                .decode(type: User.self, decoder: JSONDecoder())
                .subscribe(onNext: { print($0.name) })
        }
    }

    /// ``ObservableType/withUnretained(_:)``, ``ObservableType/withUnretained(_:resultSelector:)``
    @Test func withUnretained() {
        expectPrinted("Ada likes tea") { print in
            final class Person { let name = "Ada" }

            let person = Person()
            let drinks = PublishSubject<String>()
            _ = drinks.withUnretained(person)
                .subscribe(onNext: { person, drink in print("\(person.name) likes \(drink)") })
            drinks.onNext("tea")
        }
    }
}
