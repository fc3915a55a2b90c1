// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct TimeExamples {
    /// ``ObservableType/debounce(_:scheduler:)``
    @Test func debounce() throws {
        try expectPicture(
            """
            source: -a-b-c------d---|
            result: --------c------d|
            """
        ) { (source: Observable<String>, scheduler) in
            source.debounce(.seconds(3), scheduler: scheduler)
        }
    }

    /// ``ObservableType/throttle(_:latest:scheduler:)``
    @Test func throttle() throws {
        try expectPicture(
            """
            source: -ab-c-----d-----|
            result: -a---c----d-----|
            """
        ) { (source: Observable<String>, scheduler) in
            source.throttle(.seconds(4), scheduler: scheduler)
        }
    }

    /// ``ObservableType/delay(_:scheduler:)``
    @Test func delay() throws {
        try expectPicture(
            """
            source: -a--b-c-|
            result: ----a--b-c-|
            """
        ) { (source: Observable<String>, scheduler) in
            source.delay(.seconds(3), scheduler: scheduler)
        }
    }

    /// ``ObservableType/delaySubscription(_:scheduler:)``
    @Test func delaySubscription() throws {
        try expectPicture(
            """
            source: -a--b-c-|
            result: ----a--b-c-|
            """
        ) { (source: Observable<String>, scheduler) in
            source.delaySubscription(.seconds(3), scheduler: scheduler)
        }
    }

    /// ``ObservableType/timeout(_:scheduler:)``
    @Test func timeout() throws {
        try expectPicture(
            """
            source: -a--b--------c-|
            result: -a--b---#
            """
        ) { (source: Observable<String>, scheduler) in
            source.timeout(.seconds(4), scheduler: scheduler)
        }
    }

    /// ``ObservableType/timeout(_:other:scheduler:)``
    @Test func timeoutOther() throws {
        try expectPicture(
            """
            source: -a--b--------c-|
            other:  -1-2-|
            result: -a--b----1-2-|
            """
        ) { (source: Observable<String>, other: Observable<String>, scheduler) in
            source.timeout(.seconds(4), other: other, scheduler: scheduler)
        }
    }
}
