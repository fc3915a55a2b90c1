// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// `ClockScheduler` with clocks that go by themselves. `TestClockTests` are about a clock that tests advance.
@Suite struct ClockSchedulerTests {
    @Test("Actions run in order, delayed ones when their time has come") func order() async {
        let scheduler = ClockScheduler(ContinuousClock())
        let log = EventLog()
        let start = ContinuousClock.now
        _ = scheduler.scheduleRelative("c", dueTime: .milliseconds(30)) {
            log.note($0)
            return Disposables.create()
        }
        _ = scheduler.scheduleRelative("b", dueTime: .milliseconds(10)) {
            log.note($0)
            return Disposables.create()
        }
        _ = scheduler.schedule("a") {
            log.note($0)
            return Disposables.create()
        }
        #expect(await eventually { log.lines.count == 3 })
        #expect(log.text == "a b c")
        #expect(ContinuousClock.now - start >= .milliseconds(30))
    }

    @Test("A disposal keeps a delayed action from running, and ends a periodic one") func disposal() async {
        let scheduler = ClockScheduler(SuspendingClock())
        let ticks = AtomicCounter(0)
        let never = scheduler.scheduleRelative((), dueTime: .milliseconds(5)) {
            ticks.increment()
            return Disposables.create()
        }
        never.dispose()
        let periodic = scheduler.schedulePeriodic(0, startAfter: .milliseconds(20), period: .milliseconds(1)) {
            ticks.increment()
            return $0
        }
        #expect(await eventually { ticks.value > 3 })
        periodic.dispose()
        await quiet { ticks.value }
        let before = ticks.value
        try? await Task.sleep(for: .milliseconds(10))
        #expect(ticks.value == before)
    }

    @Test("Spans of any length are accepted", arguments: [Duration.zero, .seconds(-5), .nanoseconds(1)]) func spans(
        span: Duration
    )
        async
    {
        let log = EventLog(Observable<Int>.timer(after: span))
        #expect(await eventually { log.text == "0 completed" })
        let far = [Duration.seconds(Int64.max), .seconds(10_000_000_000), .seconds(400 * 365 * 86_400)]
        for span in far { EventLog(Observable<Int>.timer(after: span)).dispose() }
        let forever = EventLog(Observable.of(1).delay(for: far[0]))
        forever.dispose()
        #expect(forever.text == "")
    }

    @Test("A debounce with the clock of the program sends the last element") func debounce() async {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.debounce(for: .milliseconds(20)))
        for number in 0..<10 { subject.onNext(number) }
        #expect(await eventually { log.text == "9" })
        log.dispose()
    }

    @Test("What is disposed of while it falls due runs once or never, and nothing is left") func race() async {
        let scheduler = ClockScheduler(ContinuousClock())
        for round in 0..<stressRounds(500, debug: 100) {
            let released = AtomicCounter(0)
            let token = ReleaseToken { released.increment() }
            let action = Box(
                scheduler.scheduleRelative(token, dueTime: .microseconds(round % 200)) { token in
                    withExtendedLifetime(token) { Disposables.create() }
                })
            _ = consume token
            jitter(round)
            action.dispose()
            guard await eventually({ released.value == 1 }) else {
                Issue.record("round \(round): not released")
                return
            }
        }
    }

    @Test("A clock that takes no notice of a cancellation holds no observer") func uncooperativeClock() async {
        struct Stubborn: Clock {
            var now: ContinuousClock.Instant { .now }
            var minimumResolution: Duration { .zero }

            func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
                await Task.detached { try? await Task.sleep(until: deadline) }.value
            }
        }
        let released = AtomicCounter(0)
        do {
            let token = ReleaseToken { released.increment() }
            let timer = Observable<Int>.interval(.seconds(30), clock: Stubborn())
            timer.subscribe(onNext: { _ in withExtendedLifetime(token) {} }).dispose()
        }
        #expect(await eventually { released.value == 1 })
    }

    /// The fault: the sleep held the job, and the job the sleep.
    @Test("An action whose clock fails is released and reported", arguments: [false, true])
    func failingClock(isCancellation: Bool) async {
        struct Failing: Clock {
            let isCancellation: Bool
            var now: ContinuousClock.Instant { .now }
            var minimumResolution: Duration { .zero }

            func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
                if isCancellation { throw CancellationError() }
                throw Failure.expected
            }
        }
        let rejections = RejectionLog()
        defer { rejections.end() }
        let released = AtomicCounter(0)
        do {
            let token = ReleaseToken { released.increment() }
            let scheduler = ClockScheduler(Failing(isCancellation: isCancellation))
            _ = scheduler.scheduleRelative(token, dueTime: .milliseconds(1)) { _ in
                Issue.record("has not slept")
                return Disposables.create()
            }
        }
        #expect(await eventually { released.value == 1 })
        #expect(rejections["ClockScheduler"] == 1)
    }

    private struct Box {
        private let disposable: any Disposable

        init(_ disposable: any Disposable) { self.disposable = disposable }

        func dispose() { disposable.dispose() }
    }
}
