// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct TimerTests {
    /// The times of a timer. Its deadline lies between the two readings of the clock around its arming, plus its delay.
    private struct Life {
        var earliest: UInt64 = 0
        var latest: UInt64 = 0
        var armed: UInt64 = 0
        var fired: UInt64 = 0
    }

    @Test("No timer is early, and all fire in the order of their deadlines", arguments: Backend.built)
    func deadlines(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let count = 600
        nonisolated(unsafe) var lives = [Life](repeating: Life(), count: count)
        nonisolated(unsafe) var order: [Int] = []
        let done = OneShot()
        scheduler.run {
            for number in 0..<count {
                let delay = UInt64(number * 7_919 % 50_000) * 1_000
                lives[number].earliest = MonotonicClock.now() + delay
                _ = scheduler.scheduleRelative(number, dueTime: .nanoseconds(Int(delay))) { number in
                    lives[number].fired = MonotonicClock.now()
                    order.append(number)
                    if order.count == count { done.fire() }
                    return Disposables.create()
                }
                lives[number].armed = MonotonicClock.now()
                lives[number].latest = lives[number].armed + delay
            }
        }
        #expect(done.wait())
        scheduler.shutdown()
        #expect(lives.allSatisfy { $0.fired >= $0.earliest })
        var inversions = 0
        for place in 0..<count {
            let first = lives[order[place]]
            for other in order[(place + 1)...]
            where lives[other].latest < first.earliest && lives[other].armed < first.fired {
                inversions += 1
            }
        }
        #expect(inversions == 0)
    }

    /// All timers are armed before the loop fires the first.
    @Test("Timers of equal delay fire in the order of arming", arguments: Backend.built)
    func equalDelays(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        nonisolated(unsafe) var seen: [Int] = []
        let done = OneShot()
        let (begun, gate) = (OneShot(), OneShot())
        scheduler.run {
            begun.fire()
            _ = gate.wait()
        }
        #expect(begun.wait())
        for number in 0..<3_000 {
            _ = scheduler.scheduleRelative(number, dueTime: .milliseconds(1 + 2 * (number % 3))) { number in
                seen.append(number)
                if seen.count == 3_000 { done.fire() }
                return Disposables.create()
            }
        }
        usleep(20_000)
        gate.fire()
        #expect(done.wait())
        scheduler.shutdown()
        for remainder in 0..<3 {
            let those = seen.filter { $0 % 3 == remainder }
            #expect(those == those.sorted())
        }
    }

    @Test("A million timers are armed and cancelled", arguments: Backend.built)
    func million(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let count = stepCount(1_000_000, debug: 100_000)
        let done = OneShot()
        scheduler.run {
            var disposables: [any Disposable] = []
            disposables.reserveCapacity(count)
            for number in 0..<count {
                disposables.append(
                    scheduler.scheduleRelative(number, dueTime: .microseconds(60_000_000 + number % 10_007)) { _ in
                        Issue.record("was cancelled")
                        return Disposables.create()
                    })
            }
            for disposable in disposables { disposable.dispose() }
            done.fire()
        }
        #expect(done.wait(seconds: 60))
        let rejections = RejectionCounter()
        scheduler.shutdown()
        #expect(rejections.value == 0)
        rejections.stop()
    }

    /// The race: timers expire while several threads arm and dispose of them.
    @Test("Each timer runs at most once, and exactly once if it is not disposed of", arguments: Backend.built)
    func disposeRace(_ backend: Backend) async {
        let scheduler = IOUringScheduler(backend: backend)
        let threads = 3
        let perThread = stepCount(20_000, debug: 5_000)
        let runs = (0..<(threads * perThread)).map { _ in AtomicCounter(0) }
        let released = AtomicCounter(0)
        race(
            (0..<threads).map { thread in
                {
                    for number in 0..<perThread {
                        let run = runs[thread * perThread + number]
                        let token = ReleaseToken { released.increment() }
                        let disposable = scheduler.scheduleRelative((), dueTime: .microseconds(number % 40)) { _ in
                            run.increment()
                            return withExtendedLifetime(token) { Disposables.create() }
                        }
                        jitter(number)
                        if number % 2 == 0 { disposable.dispose() }
                    }
                }
            })
        #expect(await eventually { released.value == runs.count })
        #expect(runs.allSatisfy { $0.value <= 1 })
        #expect(stride(from: 1, to: runs.count, by: 2).allSatisfy { runs[$0].value == 1 })
        scheduler.shutdown()
    }

    /// The race: two threads dispose of a timer whose action is under way, or over.
    @Test("The disposable that an action returns is disposed of once", arguments: Backend.built)
    func returnedDisposable(_ backend: Backend) async {
        let scheduler = IOUringScheduler(backend: backend)
        let ran = AtomicCounter(0)
        let disposed = AtomicCounter(0)
        for round in 0..<stepCount(3_000, debug: 1_000) {
            let begun = AtomicCounter(0)
            let timer = scheduler.scheduleRelative((), dueTime: .nanoseconds(0)) { _ in
                begun.increment()
                ran.increment()
                return Disposables.create { disposed.increment() }
            }
            if round % 2 == 0 { while begun.value == 0 {} }
            race(
                { timer.dispose() },
                {
                    jitter(round)
                    timer.dispose()
                })
        }
        #expect(await eventually { ran.value == disposed.value })
        scheduler.shutdown()
        #expect(ran.value == disposed.value)
    }

    @Test("A due timer that has not fired can be disposed of", arguments: Backend.built)
    func dueTimer(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let log = EventLog()
        let done = OneShot()
        scheduler.run {
            nonisolated(unsafe) var others: [any Disposable] = []
            for number in 0..<4 {
                others.append(
                    scheduler.scheduleRelative((), dueTime: .nanoseconds(0)) { _ in
                        log.note("\(number)")
                        if number == 1 { others[2].dispose() }
                        if number == 3 { done.fire() }
                        return Disposables.create()
                    })
            }
        }
        #expect(done.wait())
        #expect(log.text == "0 1 3")
        scheduler.shutdown()
    }

    /// The fault: the loop cancels the timer before the other thread's arming, and the timer stays until it is due.
    @Test("The loop can dispose of a timer that another thread has just armed", arguments: Backend.built)
    func justArmed(_ backend: Backend) {
        do {
            let scheduler = IOUringScheduler(name: "armed", backend: backend)
            nonisolated(unsafe) var timer: (any Disposable)?
            scheduler.run {
                timer = scheduler.scheduleRelative((), dueTime: .seconds(3_600)) { _ in Disposables.create() }
            } _: {
                timer?.dispose()
                timer = nil
            }
        }
        // The loop of a released scheduler ends when no timer waits.
        #expect(soon { threadCount(named: "armed") == 0 })
    }

    @Test("A period does not drift", arguments: Backend.built)
    func drift(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let period: UInt64 = 20_000_000
        let count = 30
        nonisolated(unsafe) var phases: [UInt64] = []
        let done = OneShot()
        let begin = MonotonicClock.now()
        let periodic = scheduler.schedulePeriodic(1, startAfter: .milliseconds(20), period: .milliseconds(20)) {
            number in
            phases.append((MonotonicClock.now() - begin) % period)
            if number == count { done.fire() }
            // Blocks the loop so long that the next run is late.
            if !number.isMultiple(of: 2) { usleep(23_000) }
            return number + 1
        }
        #expect(done.wait())
        periodic.dispose()
        scheduler.shutdown()
        // A drift by the lateness of each run would add up to two periods. The machine may be busy, so only half of the phases
        // have to be small.
        #expect(phases.sorted()[count / 2] < period / 4)
    }

    /// Several threads cancel and rearm the one timer of `debounce`.
    @Test("debounce on several threads forgets no element", arguments: Backend.built)
    func debounce(_ backend: Backend) async {
        let scheduler = IOUringScheduler(backend: backend)
        for round in 0..<20 {
            let subjects = (0..<3).map { _ in PublishSubject<Int>() }
            let last = AtomicCounter(0)
            let subscription = Observable.merge(subjects.map { $0.asObservable() })
                .debounce(.microseconds(30), scheduler: scheduler).subscribe(onNext: {
                    if $0 == 999 { last.increment() }
                })
            race(
                (0..<3).map { thread in
                    {
                        for number in 0..<200 {
                            subjects[thread].onNext(number)
                            jitter(number + round)
                        }
                    }
                })
            subjects[0].onNext(999)
            #expect(await eventually { last.value == 1 })
            subscription.dispose()
        }
        scheduler.shutdown()
    }
}
