// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct TestClockTests {
    @Test("Operators with a clock fire inside advance", arguments: TestClockTests.operators)
    func operators(example: Example) {
        let clock = TestClock()
        let subject = PublishSubject<Int>()
        let log = EventLog(example.build(subject, clock))
        advance(clock, by: .milliseconds(50))
        subject.onNext(1)
        advance(clock, by: .milliseconds(50))
        subject.onNext(2)
        advance(clock, by: .milliseconds(99))
        log.note("|")
        advance(clock, by: .milliseconds(1))
        log.note("|")
        subject.onNext(3)
        subject.onCompleted()
        log.note("|")
        advance(clock, by: .seconds(1))
        #expect(log.text == example.expected)
    }

    struct Example: CustomTestStringConvertible, Sendable {
        let name: String
        let expected: String
        let build: @Sendable (Observable<Int>, TestClock) -> Observable<String>

        var testDescription: String { name }

        init<Element>(
            _ name: String, _ expected: String,
            _ build: @escaping @Sendable (Observable<Int>, TestClock) -> Observable<Element>
        ) {
            (self.name, self.expected) = (name, expected)
            self.build = { source, clock in build(source, clock).map { "\($0)" } }
        }
    }

    private static let span = Duration.milliseconds(100)

    static let operators = [
        Example("debounce", "| 2 | 3 completed |") { $0.debounce(for: span, clock: $1) },
        Example("throttle", "1 2 | | | 3 completed") { $0.throttle(for: span, clock: $1) },
        Example("throttle first", "1 | | 3 completed |") { $0.throttle(for: span, latest: false, clock: $1) },
        Example("delay", "1 | 2 | | 3 completed") { $0.delay(for: span, clock: $1) },
        Example("delaySubscription", "2 | | 3 completed |") { $0.delaySubscription(for: span, clock: $1) },
        Example("take", "1 completed | | |") { $0.take(for: span, clock: $1) },
        Example("skip", "2 | | 3 completed |") { $0.skip(for: span, clock: $1) },
        Example("timeout", "1 2 | error(Sequence timeout.) | |") { $0.timeout(after: span, clock: $1) },
        Example("timeout other", "1 2 | 9 completed | |") {
            $0.timeout(after: span, other: Observable.just(9), clock: $1)
        },
        Example("buffer", "[1] | [2] | [3] completed |") { $0.buffer(for: span, count: 5, clock: $1) },
        Example("window", "[1] | [2] | [3] completed |") {
            $0.window(for: span, count: 5, clock: $1).flatMap { $0.toArray() }
        },
        Example("interval", "0 | 1 | | 2 3 4 5 6 7 8 9 10 11") { _, clock in
            Observable<Int>.interval(span, clock: clock)
        },
        Example("timer", "0 completed | | |") { _, clock in Observable<Int>.timer(after: span, clock: clock) },
    ]

    /// Advances a clock synchronously, also in an asynchronous test.
    private func advance(_ clock: TestClock, by duration: Duration) { clock.advance(by: duration) }

    private func run(_ clock: TestClock) { clock.run() }

    @Test("Tasks that sleep on the clock go on when their time has come, one after the other") func sleepers() async {
        let clock = TestClock()
        let log = EventLog()
        let task = Task {
            for number in 1...5 {
                try await clock.sleep(for: .seconds(1))
                log.note("\(number)")
            }
        }
        await clock.advance(by: .milliseconds(2_500))
        #expect(log.text == "1 2")
        #expect(clock.now.offset == .milliseconds(2_500))
        await clock.run()
        #expect(log.text == "1 2 3 4 5")
        #expect(clock.now.offset == .seconds(5))
        _ = await task.result
    }

    @Test("An asynchronous advance fires timers in the isolation of its caller") @MainActor func isolation() async {
        let clock = TestClock()
        var seen: [Int] = []
        let subscription = Observable<Int>.interval(.seconds(1), clock: clock).subscribe(onNext: { number in
            MainActor.assumeIsolated { seen.append(number) }
        })
        await clock.advance(by: .seconds(2))
        await MainScheduler.replaced(by: ClockScheduler(clock)) {
            let driven = Driver<Int>.interval(.seconds(1)).drive(onNext: { seen.append($0 + 10) })
            await clock.advance(by: .seconds(2))
            driven.dispose()
        }
        subscription.dispose()
        #expect(seen == [0, 1, 2, 10, 3, 11])
    }

    @Test("Spans of any length are accepted") func spans() {
        let clock = TestClock()
        let forever = Duration.seconds(Int64.max) + .seconds(Int64.max)
        let log = EventLog(Observable<Int>.timer(after: forever, clock: clock))
        advance(clock, by: .seconds(1))
        #expect(log.text == "")
        log.dispose()
    }

    @Test("A sleep ends when its task is cancelled, also before it begins") func cancellation() async {
        let clock = TestClock()
        let tasks = (0..<2).map { _ in Task { try await clock.sleep(for: .seconds(1)) } }
        tasks[0].cancel()
        _ = await eventually { clock.debugDescription.contains("1.0") }
        tasks[1].cancel()
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(clock.debugDescription == "[]")
        // The past is over.
        let late = Task { try await clock.sleep(until: TestClock.Instant(offset: .seconds(-1))) }
        await #expect(throws: Never.self) { try await late.value }
    }

    @Test("A timer may set others, also for now, and an advance from inside is part of the one under way") func nested()
    {
        let clock = TestClock()
        let scheduler = ClockScheduler(clock)
        let log = EventLog()
        _ = scheduler.scheduleRelative((), dueTime: .seconds(1)) {
            log.note("a")
            _ = scheduler.schedule(()) {
                log.note("b\(clock.now)")
                return Disposables.create()
            }
            clock.advance(by: .seconds(5))
            log.note("c\(clock.now)")
            return Disposables.create()
        }
        advance(clock, by: .seconds(1))
        #expect(log.text == "a c1.0 seconds b1.0 seconds")
        #expect(clock.now.offset == .seconds(6))
        #expect(scheduler.now.timeIntervalSince1970 == 6)
    }

    /// The fault: it asked for the next time over and over, to which the advance under way did not come.
    @Test("A run from inside a timer goes on to the end of all timers") func nestedRun() {
        let clock = TestClock()
        let scheduler = ClockScheduler(clock)
        let log = EventLog()
        for seconds in 1...3 {
            _ = scheduler.scheduleRelative((), dueTime: .seconds(seconds)) {
                log.note("\(seconds)")
                if seconds == 1 { run(clock) }
                return Disposables.create()
            }
        }
        advance(clock, by: .seconds(1))
        #expect(log.text == "1 2 3")
        #expect(clock.now.offset == .seconds(3))
        _ = scheduler.scheduleRelative((), dueTime: .seconds(1)) {
            log.note("4")
            return Disposables.create()
        }
        advance(clock, by: .zero)
        #expect(log.text == "1 2 3")
        run(clock)
        #expect(log.text == "1 2 3 4")
    }

    @Test("Timers that are disposed of do not fire") func disposal() {
        let clock = TestClock()
        let log = EventLog(Observable<Int>.interval(.seconds(1), clock: clock))
        advance(clock, by: .seconds(2))
        log.dispose()
        advance(clock, by: .seconds(9))
        #expect(log.text == "0 1")
        #expect(clock.debugDescription == "[]")
    }

    @Test("Threads that emit, advance and sleep at once lose nothing") func threads() async {
        for _ in 0..<stressRounds(200, debug: 50) {
            let clock = TestClock()
            let subject = PublishSubject<Int>()
            let log = EventLog(subject.delay(for: .milliseconds(3), clock: clock))
            let sleeper = Task { try await clock.sleep(for: .milliseconds(20)) }
            race(
                { for number in 0..<50 { subject.onNext(number) } },
                { for _ in 0..<50 { clock.advance(by: .milliseconds(1)) } },
                { for _ in 0..<50 { clock.advance(by: .milliseconds(1)) } })
            advance(clock, by: .seconds(1))
            #expect(log.lines == (0..<50).map { "\($0)" })
            await clock.run()
            await #expect(throws: Never.self) { try await sleeper.value }
        }
    }
}
