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

    /// ``ObservableType/debounce(for:clock:)``, ``ObservableType/throttle(for:latest:clock:)``, ``ObservableType/delay(for:clock:)``,
    /// ``ObservableType/delaySubscription(for:clock:)``, ``ObservableType/skip(for:clock:)``, ``ObservableType/take(for:clock:)``,
    /// ``ObservableType/timeout(after:clock:)``, ``ObservableType/timeout(after:other:clock:)``, ``ObservableType/interval(_:clock:)``,
    /// ``ObservableType/timer(after:period:clock:)``, ``ObservableType/buffer(for:count:clock:)``, ``ObservableType/window(for:count:clock:)``
    @Test func clocks() async {
        await expectPrinted("swift") { print in
            let clock = TestClock()
            let text = PublishSubject<String>()
            let subscription = text.debounce(for: .seconds(1), clock: clock).subscribe(onNext: { print($0) })
            text.onNext("swi")
            await clock.advance(by: .milliseconds(500))
            text.onNext("swift")
            await clock.advance(by: .seconds(1))
            subscription.dispose()
        }
    }
}
