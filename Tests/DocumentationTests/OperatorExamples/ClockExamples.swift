// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

/// Operators that take a clock of Swift's concurrency.
@Suite struct ClockExamples {
    /// ``ObservableType/debounce(for:clock:)``
    @Test func debounce() async {
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

    /// ``ObservableType/throttle(for:latest:clock:)``
    @Test func throttle() async {
        await expectPrinted("1\n3") { print in
            let clock = TestClock()
            let numbers = PublishSubject<Int>()
            let subscription = numbers.throttle(for: .seconds(1), clock: clock).subscribe(onNext: { print($0) })
            for number in 1...3 { numbers.onNext(number) }
            await clock.advance(by: .seconds(1))
            subscription.dispose()
        }
    }

    /// ``ObservableType/delay(for:clock:)``
    @Test func delay() async {
        await expectPrinted("sent\nhello") { print in
            let clock = TestClock()
            let words = PublishSubject<String>()
            let subscription = words.delay(for: .seconds(1), clock: clock).subscribe(onNext: { print($0) })
            words.onNext("hello")
            print("sent")
            await clock.advance(by: .seconds(1))
            subscription.dispose()
        }
    }

    /// ``ObservableType/delaySubscription(for:clock:)``
    @Test func delaySubscription() async {
        await expectPrinted("waiting\nhello") { print in
            let clock = TestClock()
            let subscription = Observable.just("hello").delaySubscription(for: .seconds(1), clock: clock)
                .subscribe(onNext: { print($0) })
            print("waiting")
            await clock.advance(by: .seconds(1))
            subscription.dispose()
        }
    }

    /// ``ObservableType/skip(for:clock:)``
    @Test func skip() async {
        await expectPrinted("late") { print in
            let clock = TestClock()
            let words = PublishSubject<String>()
            let subscription = words.skip(for: .seconds(1), clock: clock).subscribe(onNext: { print($0) })
            words.onNext("early")
            await clock.advance(by: .seconds(1))
            words.onNext("late")
            subscription.dispose()
        }
    }

    /// ``ObservableType/take(for:clock:)``
    @Test func take() async {
        await expectPrinted("early\ndone") { print in
            let clock = TestClock()
            let words = PublishSubject<String>()
            let subscription = words.take(for: .seconds(1), clock: clock)
                .subscribe(onNext: { print($0) }, onCompleted: { print("done") })
            words.onNext("early")
            await clock.advance(by: .seconds(1))
            words.onNext("late")
            subscription.dispose()
        }
    }

    /// ``ObservableType/timeout(after:clock:)``
    @Test func timeout() async {
        await expectPrinted("no answer") { print in
            let clock = TestClock()
            let subscription = Observable<String>.never().timeout(after: .seconds(5), clock: clock)
                .subscribe(onNext: { print($0) }, onError: { _ in print("no answer") })
            await clock.advance(by: .seconds(5))
            subscription.dispose()
        }
    }

    /// ``ObservableType/timeout(after:other:clock:)``
    @Test func timeoutOther() async {
        await expectPrinted("cached") { print in
            let clock = TestClock()
            let subscription = Observable<String>.never().timeout(
                after: .seconds(5), other: Observable.just("cached"), clock: clock
            )
            .subscribe(onNext: { print($0) })
            await clock.advance(by: .seconds(5))
            subscription.dispose()
        }
    }

    /// ``ObservableType/interval(_:clock:)``
    @Test func interval() async {
        await expectPrinted("0\n1\n2") { print in
            let clock = TestClock()
            let subscription = Observable<Int>.interval(.seconds(1), clock: clock).subscribe(onNext: { print($0) })
            await clock.advance(by: .seconds(3))
            subscription.dispose()
        }
    }

    /// ``ObservableType/timer(after:period:clock:)``
    @Test func timer() async {
        await expectPrinted("0\n1\n2") { print in
            let clock = TestClock()
            // After one second, three, and five.
            let subscription = Observable<Int>.timer(after: .seconds(1), period: .seconds(2), clock: clock)
                .subscribe(onNext: { print($0) })
            await clock.advance(by: .seconds(6))
            subscription.dispose()
        }
    }

    /// ``ObservableType/buffer(for:count:clock:)``
    @Test func buffer() async {
        await expectPrinted("[1, 2]") { print in
            let clock = TestClock()
            let numbers = PublishSubject<Int>()
            let subscription = numbers.buffer(for: .seconds(1), count: 10, clock: clock).subscribe(onNext: { print($0) }
            )
            for number in 1...2 { numbers.onNext(number) }
            await clock.advance(by: .seconds(1))
            subscription.dispose()
        }
    }

    /// ``ObservableType/window(for:count:clock:)``
    @Test func window() async {
        await expectPrinted("[1, 2]") { print in
            let clock = TestClock()
            let numbers = PublishSubject<Int>()
            let subscription = numbers.window(for: .seconds(1), count: 10, clock: clock)
                .flatMap { $0.toArray() }
                .subscribe(onNext: { print($0) })
            for number in 1...2 { numbers.onNext(number) }
            await clock.advance(by: .seconds(1))
            subscription.dispose()
        }
    }
}
