// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct ReduceExamples {
    /// ``ObservableType/reduce(_:accumulator:)``
    @Test func reduce() throws {
        try expectPicture(
            """
            source: -1--2--3-|
            result: ---------(6|)
            """
        ) { (source: Observable<Int>, _) in
            source.reduce(0) { sum, element in sum + element }
        }
    }

    /// ``ObservableType/reduce(_:accumulator:mapResult:)``
    @Test func reduceMapResult() throws {
        try expectPicture(
            """
            source: -1--2--3-|
            result: ---------(x|)  x = sum 6
            """
        ) { (source: Observable<Int>, _) in
            source.reduce(0, accumulator: { $0 + $1 }, mapResult: { "sum \($0)" })
        }
    }

    /// ``ObservableType/toArray()``
    @Test func toArray() throws {
        try expectPicture(
            """
            source: -1--2--3-|
            result: ---------(x|)  x = 1 2 3
            """
        ) { (source: Observable<String>, _) in
            source.toArray().asObservable().map { $0.joined(separator: " ") }
        }
    }

    /// ``ObservableType/first()``
    @Test func first() throws {
        try expectPicture(
            """
            source: --a--b--|
            result: --(a|)
            """
        ) { (source: Observable<String>, _) in
            source.first().asObservable().compactMap { $0 }
        }
    }

    /// ``ObservableType/asSingle()``
    @Test func asSingle() throws {
        try expectPicture(
            """
            source: --a-----|
            result: --------(a|)
            """
        ) { (source: Observable<String>, _) in
            source.asSingle().asObservable()
        }
    }

    /// ``ObservableType/asMaybe()``
    @Test func asMaybe() throws {
        try expectPicture(
            """
            source: --------|
            result: --------|
            """
        ) { (source: Observable<String>, _) in
            source.asMaybe().asObservable()
        }
    }

    /// ``ObservableType/asCompletable()``
    @Test func asCompletableEnd() throws {
        try expectPicture(
            """
            source: -a--b--|
            result: -------|
            """
        ) { (source: Observable<String>, _) in
            source.ignoreElements().asCompletable().asObservable()
        }
    }

    /// ``ObservableType/asCompletable()``
    @Test func asCompletable() {
        expectPrinted("saved") { print in
            let saving = Observable<Never>.empty()
            _ = saving.asCompletable().subscribe(onCompleted: { print("saved") })
        }
    }
}
