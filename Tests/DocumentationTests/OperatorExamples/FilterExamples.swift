// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct FilterExamples {
    /// ``ObservableType/filter(_:)``
    @Test func filter() throws {
        try expectPicture(
            """
            source: -1--2--3--4-|
            result: ----2-----4-|
            """
        ) { (source: Observable<Int>, _) in
            source.filter { $0.isMultiple(of: 2) }
        }
    }

    /// ``ObservableType/ignoreElements()``
    @Test func ignoreElements() throws {
        try expectPicture(
            """
            source: -a--b--c-|
            result: ---------|
            """
        ) { (source: Observable<String>, _) in
            source.ignoreElements()
        }
    }

    /// ``ObservableType/distinctUntilChanged()``
    @Test func distinctUntilChanged() throws {
        try expectPicture(
            """
            source: -a-a-b-b-a-|
            result: -a---b---a-|
            """
        ) { (source: Observable<String>, _) in
            source.distinctUntilChanged()
        }
    }

    /// ``ObservableType/distinctUntilChanged(_:)``
    @Test func distinctUntilChangedByKey() throws {
        try expectPicture(
            """
            source: -1-3-4-2-5-|
            result: -1---4---5-|
            """
        ) { (source: Observable<Int>, _) in
            source.distinctUntilChanged { $0.isMultiple(of: 2) }
        }
    }

    /// ``ObservableType/distinctUntilChanged(_:)``
    @Test func distinctUntilChangedByComparison() throws {
        try expectPicture(
            """
            source: -1-2-5-6-3-|
            result: -1---5---3-|
            """
        ) { (source: Observable<Int>, _) in
            source.distinctUntilChanged { abs($0 - $1) < 2 }
        }
    }

    /// ``ObservableType/distinctUntilChanged(_:comparer:)``
    @Test func distinctUntilChangedByComparedKey() throws {
        try expectPicture(
            """
            source: -1-4-5-2-6-|
            result: -1---5---6-|
            """
        ) { (source: Observable<Int>, _) in
            source.distinctUntilChanged({ $0 % 3 }, comparer: ==)
        }
    }

    /// ``ObservableType/distinctUntilChanged(at:)``
    @Test func distinctUntilChangedAtKeyPath() throws {
        try expectPicture(
            """
            source: -a-b-c-d-|  b = bb, c = cc
            result: -a-b---d-|  b = bb
            """
        ) { (source: Observable<String>, _) in
            source.distinctUntilChanged(at: \.count)
        }
    }

    /// ``ObservableType/element(at:)``
    @Test func elementAt() throws {
        try expectPicture(
            """
            source: -a--b--c--d-|
            result: -------(c|)
            """
        ) { (source: Observable<String>, _) in
            source.element(at: 2)
        }
    }

    /// ``ObservableType/single()``
    @Test func single() throws {
        try expectPicture(
            """
            source: -a----b--|
            result: -a----#
            """
        ) { (source: Observable<String>, _) in
            source.single()
        }
    }

    /// ``ObservableType/single(_:)``
    @Test func singleMatching() throws {
        try expectPicture(
            """
            source: -1--2--3-|
            result: ----2----|
            """
        ) { (source: Observable<Int>, _) in
            source.single { $0.isMultiple(of: 2) }
        }
    }

    /// ``ObservableType/sample(_:defaultValue:)``
    @Test func sample() throws {
        try expectPicture(
            """
            source:  -a-b---c------|
            sampler: ----x-x----x---x|
            result:  ----b------c---|
            """
        ) { (source: Observable<String>, sampler: Observable<String>, _) in
            source.sample(sampler)
        }
    }

    /// ``ObservableType/skip(_:)``
    @Test func skip() throws {
        try expectPicture(
            """
            source: -a--b--c--d-|
            result: -------c--d-|
            """
        ) { (source: Observable<String>, _) in
            source.skip(2)
        }
    }

    /// ``ObservableType/skip(while:)``
    @Test func skipWhile() throws {
        try expectPicture(
            """
            source: -1--2--3--1-|
            result: -------3--1-|
            """
        ) { (source: Observable<Int>, _) in
            source.skip(while: { $0 < 3 })
        }
    }

    /// ``ObservableType/skip(until:)``
    @Test func skipUntil() throws {
        try expectPicture(
            """
            source: -a--b--c--d-|
            other:  -----x--|
            result: -------c--d-|
            """
        ) { (source: Observable<String>, other: Observable<String>, _) in
            source.skip(until: other)
        }
    }

    /// ``ObservableType/take(_:)``
    @Test func take() throws {
        try expectPicture(
            """
            source: -a--b--c--d-|
            result: -a--(b|)
            """
        ) { (source: Observable<String>, _) in
            source.take(2)
        }
    }

    /// ``ObservableType/take(while:behavior:)``
    @Test func takeWhile() throws {
        try expectPicture(
            """
            source: -1--2--3--1-|
            result: -1--2--|
            """
        ) { (source: Observable<Int>, _) in
            source.take(while: { $0 < 3 })
        }
    }

    /// ``ObservableType/take(until:behavior:)``
    @Test func takeUntilCondition() throws {
        try expectPicture(
            """
            source: -1--2--3--1-|
            result: -1--2--(3|)
            """
        ) { (source: Observable<Int>, _) in
            source.take(until: { $0 == 3 }, behavior: .inclusive)
        }
    }

    /// ``ObservableType/take(until:)``
    @Test func takeUntil() throws {
        try expectPicture(
            """
            source: -a--b--c--d-|
            other:  -----x--|
            result: -a--b|
            """
        ) { (source: Observable<String>, other: Observable<String>, _) in
            source.take(until: other)
        }
    }

    /// ``ObservableType/takeLast(_:)``
    @Test func takeLast() throws {
        try expectPicture(
            """
            source: -a--b--c--|
            result: ----------(bc|)
            """
        ) { (source: Observable<String>, _) in
            source.takeLast(2)
        }
    }

    /// ``ObservableType/skip(_:scheduler:)``
    @Test func skipTimed() throws {
        try expectPicture(
            """
            source: -a--b--c--d-|
            result: -------c--d-|
            """
        ) { (source: Observable<String>, scheduler) in
            source.skip(.seconds(5), scheduler: scheduler)
        }
    }

    /// ``ObservableType/take(for:scheduler:)``
    @Test func takeTimed() throws {
        try expectPicture(
            """
            source: -a--b--c--d-|
            result: -a--b|
            """
        ) { (source: Observable<String>, scheduler) in
            source.take(for: .seconds(5), scheduler: scheduler)
        }
    }
}
