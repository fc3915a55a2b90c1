// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct FlattenExamples {
    /// ``ObservableType/flatMap(_:)``
    @Test func flatMap() throws {
        try expectPicture(
            """
            source: -1---2--------|
            inner:  --a--b-|
            result: ---x--yx--y---|  x = a, y = b
            """
        ) { (source: Observable<Int>, inner: Observable<String>, _) in
            source.flatMap { _ in inner }
        }
    }

    /// ``ObservableType/concatMap(_:)``
    @Test func concatMap() throws {
        try expectPicture(
            """
            source: -1---2------------|
            inner:  --a--b-|
            result: ---a--b---a--b----|
            """
        ) { (source: Observable<Int>, inner: Observable<String>, _) in
            source.concatMap { _ in inner }
        }
    }

    /// ``ObservableType/flatMapFirst(_:)``
    @Test func flatMapFirst() throws {
        try expectPicture(
            """
            source: -1---2----3--------|
            inner:  --a--b-|
            result: ---a--b-----a--b---|
            """
        ) { (source: Observable<Int>, inner: Observable<String>, _) in
            source.flatMapFirst { _ in inner }
        }
    }

    /// ``ObservableType/flatMapLatest(_:)``
    @Test func flatMapLatest() throws {
        try expectPicture(
            """
            source: -1--2---------|
            inner:  --a--b-|
            result: ---a--a--b----|
            """
        ) { (source: Observable<Int>, inner: Observable<String>, _) in
            source.flatMapLatest { _ in inner }
        }
    }

    /// ``ObservableType/merge(_:)``
    @Test func mergeSources() throws {
        try expectPicture(
            """
            first:  -a----b---|
            second: ---1----2----|
            result: -a-1--b-2----|
            """
        ) { (first: Observable<String>, second: Observable<String>, _) in
            Observable.merge(first, second)
        }
    }

    /// ``ObservableType/merge()``
    @Test func merge() throws {
        try expectPicture(
            """
            first:  -a----b---|
            second: ---1----2----|
            result: -a-1--b-2----|
            """
        ) { (first: Observable<String>, second: Observable<String>, _) in
            Observable.of(first, second).merge()
        }
    }

    /// ``ObservableType/merge(maxConcurrent:)``
    @Test func mergeMaxConcurrent() throws {
        try expectPicture(
            """
            first:  -a----b|
            second: ---1-----2--|
            third:  -x-y|
            result: -a-1--b-x2y-|
            """
        ) { (first: Observable<String>, second: Observable<String>, third: Observable<String>, _) in
            Observable.of(first, second, third).merge(maxConcurrent: 2)
        }
    }

    /// ``ObservableType/concat(_:)``
    @Test func concatSources() throws {
        try expectPicture(
            """
            first:  -a-b-|
            second: -1--2-|
            result: -a-b--1--2-|
            """
        ) { (first: Observable<String>, second: Observable<String>, _) in
            first.concat(second)
        }
    }

    /// ``ObservableType/concat(_:)``
    @Test func concatCollection() throws {
        try expectPicture(
            """
            first:  -a-b-|
            second: -1--2-|
            result: -a-b--1--2-|
            """
        ) { (first: Observable<String>, second: Observable<String>, _) in
            Observable.concat([first, second])
        }
    }

    /// ``ObservableType/concat()``
    @Test func concat() throws {
        try expectPicture(
            """
            first:  -a-b-|
            second: -1--2-|
            result: -a-b--1--2-|
            """
        ) { (first: Observable<String>, second: Observable<String>, _) in
            Observable.of(first, second).concat()
        }
    }

    /// ``ObservableType/switchLatest()``
    @Test func switchLatest() throws {
        try expectPicture(
            """
            source: -1--2---------|
            inner:  --a--b-|
            result: ---a--a--b----|
            """
        ) { (source: Observable<Int>, inner: Observable<String>, _) in
            source.map { _ in inner }.switchLatest()
        }
    }

    /// ``ObservableType/asyncMap(maxConcurrent:keepsOrder:priority:_:)``
    @Test func asyncMap() async throws {
        try await expectPrinted("page 1\npage 2\npage 3") { print in
            @Sendable func page(_ number: Int) async -> String { "page \(number)" }

            let pages = Observable.of(1, 2, 3).asyncMap(maxConcurrent: 2) { await page($0) }
            for try await page in pages.values(buffering: .suspend) { print(page) }
        }
    }

    /// ``ObservableType/flatMap(maxConcurrent:priority:_:)``
    @Test func asyncFlatMap() async throws {
        try await expectPrinted("1 of Ada\n2 of Ada") { print in
            @Sendable func orders(of user: String) async -> Observable<String> {
                Observable.of(1, 2).map { "\($0) of \(user)" }
            }

            let orders = Observable.just("Ada").flatMap(maxConcurrent: 4) { await orders(of: $0) }
            for try await order in orders.values(buffering: .suspend) { print(order) }
        }
    }
}
