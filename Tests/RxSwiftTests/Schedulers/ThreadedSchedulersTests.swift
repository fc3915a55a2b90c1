// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct ThreadedSchedulersTests {
    @Test("Each action runs once, and a serial scheduler keeps the order", arguments: ThreadedScheduler.allCases)
    func runsOnceInOrder(kind: ThreadedScheduler) {
        let scheduler = kind.make()
        let lock = Mutex()
        let done = OneShot()
        nonisolated(unsafe) var seen: [Int] = []
        for number in 0..<2_000 {
            _ = scheduler.schedule(number) { number in
                let count = lock.withLock {
                    seen.append(number)
                    return seen.count
                }
                if count == 2_000 { done.fire() }
                return Disposables.create()
            }
        }
        #expect(done.wait())
        #expect((kind.isSerial ? seen : seen.sorted()) == Array(0..<2_000))
    }

    @Test("An action disposed of before its turn does not run and is released", arguments: ThreadedScheduler.allCases)
    func disposedBefore(kind: ThreadedScheduler) async {
        let scheduler = kind.make()
        let gate = OneShot()
        let begun = OneShot()
        // Occupies the scheduler, where it is serial.
        if kind != .main {
            _ = scheduler.schedule(()) { _ in
                begun.fire()
                _ = gate.wait()
                return Disposables.create()
            }
            #expect(begun.wait())
        }
        weak var token: ReleaseToken?
        let ran = AtomicCounter(0)
        var disposables: [any Disposable] = []
        if [.serialDispatch, .serialOnConcurrentTarget, .uring, .epoll, .host].contains(kind) {
            do {
                let captured = ReleaseToken()
                token = captured
                disposables.append(
                    scheduler.schedule(captured) { captured in
                        ran.increment()
                        return withExtendedLifetime(captured) { Disposables.create() }
                    })
            }
            #expect(token != nil)
            disposables[0].dispose()
            #expect(token == nil)
            #expect((disposables[0] as? any Cancelable)?.isDisposed == true)
        }
        gate.fire()
        let done = OneShot()
        _ = scheduler.schedule(()) { _ in
            done.fire()
            return Disposables.create()
        }
        #expect(done.wait())
        #expect(ran.value == 0)
    }

    /// A bag that belongs to a captured object keeps the disposable in this way.
    @Test("The disposable of an action that ran retains nothing else", arguments: ThreadedScheduler.allCases)
    func keptDisposable(kind: ThreadedScheduler) async {
        let scheduler = kind.make()
        weak var token: ReleaseToken?
        var kept: [any Disposable] = []
        do {
            let captured = ReleaseToken()
            token = captured
            kept.append(
                scheduler.schedule(captured) { captured in withExtendedLifetime(captured) { Disposables.create() } })
            if let timed = scheduler as? any SchedulerType {
                kept.append(
                    timed.scheduleRelative(captured, dueTime: .milliseconds(2)) { captured in
                        withExtendedLifetime(captured) { Disposables.create() }
                    })
                let periodic = timed.schedulePeriodic(captured, startAfter: .milliseconds(1), period: .milliseconds(1))
                { $0 }
                kept.append(periodic)
                try? await Task.sleep(nanoseconds: 5_000_000)
                periodic.dispose()
            }
        }
        #expect(await eventually { token == nil })
        #expect(!kept.isEmpty)
    }

    @Test("dispose reaches the disposable that an action returned", arguments: ThreadedScheduler.allCases)
    func disposedResult(kind: ThreadedScheduler) async {
        let scheduler = kind.make()
        let results = [BooleanDisposable(), BooleanDisposable()]
        let running = OneShot()
        let go = OneShot()
        let after = scheduler.schedule(()) { _ in
            running.fire()
            return results[0]
        }
        #expect(running.wait())
        // Disposed of while the action runs: its result is disposed of as soon as there is one.
        let during = scheduler.schedule(()) { _ in
            running.fire()
            _ = go.wait()
            return results[1]
        }
        #expect(running.wait())
        during.dispose()
        #expect(!results[1].isDisposed)
        go.fire()
        #expect(await eventually { results[1].isDisposed })
        after.dispose()
        #expect(await eventually { results[0].isDisposed })
    }

    @Test("Nested actions run later", arguments: ThreadedScheduler.allCases)
    func nestedActions(kind: ThreadedScheduler) {
        let scheduler = kind.make()
        let log = EventLog()
        let done = OneShot()
        _ = scheduler.schedule(()) { _ in
            log.note("begin")
            let inner = scheduler.schedule(()) { _ in
                log.note("inner")
                done.fire()
                return Disposables.create()
            }
            log.note("end")
            return inner
        }
        #expect(done.wait())
        if kind.isSerial {
            #expect(log.text == "begin end inner")
        }
    }

    @Test("Timers fire in order and not early", arguments: ThreadedScheduler.timed)
    func timerOrder(kind: ThreadedScheduler) {
        let scheduler = kind.makeTimed()
        let lock = Mutex()
        let done = OneShot()
        nonisolated(unsafe) var seen: [Int] = []
        nonisolated(unsafe) var early = 0
        let begin = MonotonicClock.now()
        let delays = [40, 10, 30, 0, 20, 10, 5, 35]
        for delay in delays {
            _ = scheduler.scheduleRelative(delay, dueTime: .milliseconds(delay)) { delay in
                let elapsed = MonotonicClock.now() - begin
                let count = lock.withLock {
                    if elapsed < UInt64(delay) * 1_000_000 { early += 1 }
                    seen.append(delay)
                    return seen.count
                }
                if count == delays.count { done.fire() }
                return Disposables.create()
            }
        }
        #expect(done.wait())
        #expect(early == 0)
        if kind.isSerial { #expect(seen == delays.sorted()) }
    }

    @Test("Thousands of cancelled timers leave nothing behind", arguments: ThreadedScheduler.timed)
    func cancelledTimers(kind: ThreadedScheduler) async {
        let scheduler = kind.makeTimed()
        weak var token: ReleaseToken?
        nonisolated(unsafe) var disposables: [any Disposable] = []
        do {
            let captured = ReleaseToken()
            token = captured
            for number in 0..<5_000 {
                disposables.append(
                    scheduler.scheduleRelative(captured, dueTime: .milliseconds(10_000 + number % 777)) { _ in
                        Issue.record("was cancelled")
                        return Disposables.create()
                    })
            }
        }
        #expect(token != nil)
        race([
            { for index in stride(from: 0, to: 5_000, by: 2) { disposables[index].dispose() } },
            { for index in stride(from: 4_999, to: 0, by: -2) { disposables[index].dispose() } },
        ])
        #expect(token == nil)
    }

    /// The race: an action is disposed of while its timer expires.
    @Test("A timer that is cancelled as it fires runs at most once", arguments: ThreadedScheduler.timed)
    func cancelRace(kind: ThreadedScheduler) async {
        let scheduler = kind.makeTimed()
        let runs = (0..<500).map { _ in AtomicCounter(0) }
        weak var token: ReleaseToken?
        do {
            let captured = ReleaseToken()
            token = captured
            for (index, run) in runs.enumerated() {
                let disposable = scheduler.scheduleRelative(captured, dueTime: .microseconds(index % 50)) { _ in
                    run.increment()
                    return Disposables.create()
                }
                if index % 3 == 0 { sched_yield() }
                disposable.dispose()
            }
        }
        #expect(await eventually { token == nil })
        #expect(runs.allSatisfy { $0.value <= 1 })
    }

    /// The race: several threads arm timers that are each due before all others, so that each has to set the kernel timer, while
    /// it fires and while others are unscheduled. One that were set to a later time than the earliest would be late by 10 s.
    @Test("No timer is lost when several threads arm ever earlier ones", arguments: ThreadedScheduler.timed)
    func armingRace(kind: ThreadedScheduler) {
        let scheduler = kind.makeTimed()
        let late = scheduler.scheduleRelative((), dueTime: .seconds(10)) { _ in Disposables.create() }
        for _ in 0..<100 {
            let fired = DispatchSemaphore(value: 0)
            let threads = 3
            let timers = 20
            race(
                (0..<threads).map { thread in
                    {
                        for timer in 0..<timers {
                            let delay = RxTimeInterval.microseconds((timers - timer) * 40 + thread * 7)
                            _ = scheduler.scheduleRelative((), dueTime: delay) { _ in
                                fired.signal()
                                return Disposables.create()
                            }
                            scheduler.scheduleRelative((), dueTime: .microseconds(20)) { _ in Disposables.create() }
                                .dispose()
                        }
                    }
                })
            for _ in 0..<(threads * timers) {
                guard fired.wait(timeout: .now() + 5) == .success else {
                    Issue.record("a timer did not fire")
                    return late.dispose()
                }
            }
        }
        late.dispose()
    }

    @Test(
        "A timer outlives the scheduler object",
        arguments: [ThreadedScheduler.serialDispatch, .concurrentDispatch, .boundedPool, .uring, .epoll, .host])
    func outlivesScheduler(kind: ThreadedScheduler) {
        let done = OneShot()
        _ = kind.makeTimed().scheduleRelative((), dueTime: .milliseconds(5)) { _ in
            done.fire()
            return Disposables.create()
        }
        #expect(done.wait())
    }

    @Test("Periodic runs do not overlap, and they stop", arguments: ThreadedScheduler.timed)
    func periodicRuns(kind: ThreadedScheduler) async {
        let scheduler = kind.makeTimed()
        let overlap = OverlapDetector()
        let count = AtomicCounter(0)
        let tenth = OneShot()
        let begin = MonotonicClock.now()
        let disposable = scheduler.schedulePeriodic(0, startAfter: .milliseconds(4), period: .milliseconds(2)) {
            state in
            overlap.enter()
            // Slower than the period now and then.
            if state % 4 == 0 { usleep(5_000) }
            count.increment()
            if state == 9 { tenth.fire() }
            overlap.leave()
            return state + 1
        }
        #expect(tenth.wait())
        // Ten runs, the first after 4 ms; none is early, though one that was missed is made up for.
        #expect(MonotonicClock.now() - begin >= 4_000_000 + 9 * 1_000_000)
        disposable.dispose()
        try? await Task.sleep(nanoseconds: 10_000_000)
        let after = count.value
        try? await Task.sleep(nanoseconds: 20_000_000)
        #expect(count.value == after && !overlap.overlapped)
    }

    @Test("A periodic action that disposes of itself runs no more", arguments: ThreadedScheduler.timed)
    func periodicSelfDisposal(kind: ThreadedScheduler) async {
        let scheduler = kind.makeTimed()
        let slot = SingleAssignmentDisposable()
        let count = AtomicCounter(0)
        weak var token: ReleaseToken?
        do {
            let captured = ReleaseToken()
            token = captured
            slot.setDisposable(
                scheduler.schedulePeriodic(captured, startAfter: .milliseconds(1), period: .milliseconds(1)) {
                    captured in
                    count.increment()
                    if count.value == 3 { slot.dispose() }
                    return captured
                })
        }
        #expect(await eventually { token == nil })
        #expect(count.value == 3)
    }

    /// A delay that never ends must not keep the processor busy.
    @Test("A timer that is never due uses no processor time") func endlessDelay() async {
        await #expect(processExitsWith: .success) {
            let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "test")
            let disposables = [RxTimeInterval.never, .seconds(.max), .seconds(10_000_000_000)].map {
                scheduler.scheduleRelative((), dueTime: $0) { _ in
                    preconditionFailure("must not run")
                }
            }
            let before = clock()
            usleep(300_000)
            let used = Double(clock() - before) / Double(CLOCKS_PER_SEC)
            precondition(used < 0.1, "used \(used) s of processor time")
            for disposable in disposables { disposable.dispose() }
        }
    }
}
