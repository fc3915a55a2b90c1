// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct CombineExamples {
    /// ``ObservableType/combineLatest(_:_:)``, ``ObservableType/combineLatest(_:_:resultSelector:)``
    @Test func combineLatest() throws {
        try expectPicture(
            """
            first:  -a-----b---|
            second: ---1-2---3----|
            result: ---p-q-r-s----|  p = a1, q = a2, r = b2, s = b3
            """
        ) { (first: Observable<String>, second: Observable<Int>, _) in
            Observable.combineLatest(first, second) { "\($0)\($1)" }
        }
    }

    /// ``ObservableType/combineLatest(_:)``, ``ObservableType/combineLatest(_:resultSelector:)``
    @Test func combineLatestCollection() throws {
        try expectPicture(
            """
            first:  -a-----b---|
            second: ---1-2---3----|
            result: ---p-q-r-s----|  p = a1, q = a2, r = b2, s = b3
            """
        ) { (first: Observable<String>, second: Observable<String>, _) in
            Observable.combineLatest([first, second]) { $0.joined() }
        }
    }

    /// ``ObservableType/zip(_:_:)``, ``ObservableType/zip(_:_:resultSelector:)``
    @Test func zip() throws {
        try expectPicture(
            """
            first:  -a-----b---c--|
            second: ---1-2---3----|
            result: ---p---q---r--|  p = a1, q = b2, r = c3
            """
        ) { (first: Observable<String>, second: Observable<Int>, _) in
            Observable.zip(first, second) { "\($0)\($1)" }
        }
    }

    /// ``ObservableType/zip(_:)``, ``ObservableType/zip(_:resultSelector:)``
    @Test func zipCollection() throws {
        try expectPicture(
            """
            first:  -a-----b---c--|
            second: ---1-2---3----|
            result: ---p---q---r--|  p = a1, q = b2, r = c3
            """
        ) { (first: Observable<String>, second: Observable<String>, _) in
            Observable.zip([first, second]) { $0.joined() }
        }
    }

    /// ``ObservableType/withLatestFrom(_:)``
    @Test func withLatestFrom() throws {
        try expectPicture(
            """
            source: -a--b----c--|
            other:  ---1---2------|
            result: ----1----2--|
            """
        ) { (source: Observable<String>, other: Observable<Int>, _) in
            source.withLatestFrom(other)
        }
    }

    /// ``ObservableType/withLatestFrom(_:resultSelector:)``
    @Test func withLatestFromSelector() throws {
        try expectPicture(
            """
            source: -a--b----c--|
            other:  ---1---2------|
            result: ----x----y--|  x = b1, y = c2
            """
        ) { (source: Observable<String>, other: Observable<Int>, _) in
            source.withLatestFrom(other) { "\($0)\($1)" }
        }
    }

    /// ``ObservableType/startWith(_:)``
    @Test func startWith() throws {
        try expectPicture(
            """
            source: --b--c--|
            result: a-b--c--|
            """
        ) { (source: Observable<String>, _) in
            source.startWith("a")
        }
    }

    /// ``ObservableType/amb(_:)``
    @Test func amb() throws {
        try expectPicture(
            """
            first:  ----a---b--|
            second: --1---2---3--|
            result: --1---2---3--|
            """
        ) { (first: Observable<String>, second: Observable<String>, _) in
            first.amb(second)
        }
    }

    /// ``ObservableType/ifEmpty(default:)``
    @Test func ifEmptyDefault() throws {
        try expectPicture(
            """
            source: -----|
            result: -----(a|)
            """
        ) { (source: Observable<String>, _) in
            source.ifEmpty(default: "a")
        }
    }

    /// ``ObservableType/ifEmpty(switchTo:)``
    @Test func ifEmptySwitchTo() throws {
        try expectPicture(
            """
            source: -----|
            other:  --1-2-|
            result: -------1-2-|
            """
        ) { (source: Observable<String>, other: Observable<String>, _) in
            source.ifEmpty(switchTo: other)
        }
    }
}
