// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct HostAlarmTests {
    private let loop = ManualHostLoop()
    private let log = EventLog()

    private func arm(_ name: String, _ delay: RxTimeInterval, on scheduler: HostEventLoopScheduler) -> any Disposable {
        scheduler.scheduleRelative((), dueTime: delay) { [log] _ in
            log.note(name)
            return Disposables.create()
        }
    }

    @Test("One delayed body stands for all timers, another only for an earlier one") func sharedBody() {
        let scheduler = HostEventLoopScheduler(loop)
        let timers = [40, 50, 60, 30].map { arm("\($0)", .seconds($0), on: scheduler) }
        // Another thread than the loop's asks the loop to set its timer.
        #expect(loop.enqueuedCounts == (1, 0))
        loop.runAll()
        #expect(loop.delays.count == 1)
        let later = arm("later", .seconds(35), on: scheduler)
        loop.runAll()
        #expect(loop.delays.count == 1)
        let earlier = arm("earlier", .seconds(2), on: scheduler)
        loop.runAll()
        #expect(loop.delays.count == 2)
        for timer in timers + [later, earlier] { timer.dispose() }
    }

    @Test("A delayed body that comes early runs no action, and is followed by another") func earlyBody() {
        let scheduler = HostEventLoopScheduler(loop)
        let timer = arm("timer", .milliseconds(30), on: scheduler)
        loop.runAll()
        loop.fireDelayed()
        #expect(log.lines == [])
        #expect(loop.delays.count == 1)
        #expect(loop.delays.allSatisfy { $0 > 0 && $0 <= 30_000_000 })
        usleep(31_000)
        loop.fireDelayed()
        #expect(log.text == "timer")
        timer.dispose()
    }

    @Test("Timers that are due come in order, in the body that noticed them") func dueTimers() {
        let scheduler = HostEventLoopScheduler(loop)
        let timers = [3, 1, 2].map { arm("\($0)", .milliseconds($0), on: scheduler) }
        loop.runAll()
        usleep(5_000)
        loop.fireDelayed()
        #expect(log.text == "1 2 3")
        for timer in timers { timer.dispose() }
    }

    @Test("Ever earlier timers enqueue no more than 78 delayed bodies") func everEarlier() {
        let scheduler = HostEventLoopScheduler(loop)
        let timers = (0..<10_000).map { number -> any Disposable in
            let timer = arm("timer", .milliseconds(100_000_000 - number * 9_000), on: scheduler)
            loop.runAll()
            return timer
        }
        #expect(loop.delays.count <= 78)
        for timer in timers { timer.dispose() }
    }

    @Test("A near timer beside a far one enqueues a delayed body each time, and leaves none") func nearAndFar() {
        let scheduler = HostEventLoopScheduler(loop)
        let far = arm("far", .seconds(3_600), on: scheduler)
        loop.runAll()
        for _ in 0..<1_000 {
            let near = arm("near", .milliseconds(500), on: scheduler)
            loop.runAll()
            near.dispose()
            loop.fireDelayed()
        }
        #expect(loop.delays.count == 1)
        far.dispose()
    }

    @Test("A timer that is never due asks for a delay of a day at most") func endlessDelay() {
        let scheduler = HostEventLoopScheduler(loop)
        let timers = [RxTimeInterval.never, .seconds(.max)].map { arm("never", $0, on: scheduler) }
        loop.runAll()
        #expect(loop.delays.allSatisfy { $0 <= 86_400_000_000_000 })
        loop.fireDelayed()
        #expect(log.lines == [])
        for timer in timers { timer.dispose() }
    }

    @Test("100,000 timers that were armed and disposed of leave nothing, in whatever order") func disposedTimers() {
        weak var token: ReleaseToken?
        do {
            let scheduler = HostEventLoopScheduler(loop)
            let captured = ReleaseToken()
            token = captured
            var timers: [any Disposable] = []
            for number in 0..<100_000 {
                timers.append(
                    scheduler.scheduleRelative(captured, dueTime: .milliseconds(10_000 + number * 7_919 % 100_000)) {
                        _ in
                        Disposables.create()
                    })
                if number % 1_000 == 0 { loop.runAll() }
            }
            #expect(token != nil)
            for number in timers.indices { timers[number * 7_919 % timers.count].dispose() }
        }
        #expect(token == nil)
        #expect(loop.delays.count <= 78)
    }

    @Test("Delayed bodies that are of no use any more hold neither the scheduler nor its loop") func uselessBodies() {
        weak var released: ManualHostLoop?
        do {
            let loop = ManualHostLoop()
            released = loop
            let scheduler = HostEventLoopScheduler(loop)
            let timer = arm("timer", .seconds(3_600), on: scheduler)
            loop.runAll()
            #expect(loop.delays.count == 1)
            timer.dispose()
        }
        #expect(released == nil)
    }

    /// The race: threads arm ever earlier timers, so that each asks the loop to set its timer, while others expire.
    @Test("No timer is lost when several threads arm ever earlier ones while the loop arms its own") func armingRace() {
        let scheduler = HostEventLoopScheduler(ThreadHostLoop())
        let fired = AtomicCounter(0)
        let arm: @Sendable (Int) -> Void = { microseconds in
            _ = scheduler.scheduleRelative((), dueTime: .microseconds(microseconds)) { _ in
                fired.increment()
                return Disposables.create()
            }
        }
        let rounds = 50
        for round in 0..<rounds {
            race(
                (0..<3).map { thread in
                    {
                        for number in 0..<20 {
                            arm((20 - number) * 40 + thread * 7)
                            if number == 10 {
                                _ = scheduler.schedule(()) { _ in
                                    arm(30)
                                    return Disposables.create()
                                }
                            }
                        }
                    }
                })
            guard settles({ fired.value == (round + 1) * 63 }) else {
                Issue.record("a timer did not fire")
                return
            }
        }
    }
}
