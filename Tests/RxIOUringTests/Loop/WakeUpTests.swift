// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct WakeUpTests {
    /// The threads submit in bursts, or one by one with the loop asleep in between. If a wake-up is lost, work does not run.
    @Test(
        "No submission of eight threads is lost", arguments: Backend.built,
        [IOUringScheduler.Spin.none, .upTo(.microseconds(20))])
    func eightThreads(_ backend: Backend, spin: IOUringScheduler.Spin) {
        let scheduler = IOUringScheduler(spin: spin, backend: backend)
        let missing = AtomicCounter(0)
        let rounds = stepCount(400, debug: 150)
        race(
            (0..<8).map { thread in
                {
                    for round in 0..<rounds {
                        let done = OneShot()
                        let burst = (round + thread) % 5 == 0 ? 50 : 1
                        for _ in 1..<max(burst, 2) { scheduler.run {} }
                        if round % 3 == 0 {
                            _ = scheduler.scheduleRelative((), dueTime: .microseconds(round % 90)) { _ in
                                done.fire()
                                return Disposables.create()
                            }
                        } else {
                            scheduler.run { done.fire() }
                        }
                        // The loop goes to sleep while this thread waits.
                        if !done.wait(seconds: 10) { return missing.increment() }
                        if round % 16 == 0 { usleep(UInt32(100 + thread * 13)) }
                    }
                }
            })
        #expect(missing.value == 0)
        scheduler.shutdown()
    }

    /// The race: one thread submits one by one, just as the loop goes to sleep.
    @Test("A submission that races with the loop going to sleep wakes it", arguments: Backend.built)
    func sleepRace(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        for round in 0..<stepCount(50_000, debug: 10_000) {
            let ran = AtomicWord(0)
            scheduler.run { ran.storeReleasing(1) }
            var spins = 0
            while ran.loadAcquiring() == 0 {
                spins += 1
                if spins > 1_000 { sched_yield() }
                if spins > 20_000_000 {
                    Issue.record("forgotten in round \(round)")
                    return
                }
            }
            jitter(round)
        }
        scheduler.shutdown()
    }

    @Test("A burst costs one system call, and none while the loop is awake", arguments: Backend.built)
    func burst(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let begun = OneShot()
        let gate = OneShot()
        usleep(20_000)
        var before = writeCallCount()
        // The first submission wakes the loop, which is busy from then on.
        scheduler.run {
            begun.fire()
            _ = gate.wait()
        }
        #expect(begun.wait())
        for _ in 0..<10_000 { scheduler.run {} }
        for _ in 0..<10_000 { _ = scheduler.scheduleRelative((), dueTime: .seconds(1)) { _ in Disposables.create() } }
        #expect(writeCallCount() - before <= 1)
        before = writeCallCount()
        gate.fire()
        let done = OneShot()
        scheduler.run {
            // The loop submits to itself.
            for _ in 0..<1_000 { scheduler.run {} }
            scheduler.run { done.fire() }
        }
        #expect(done.wait())
        #expect(writeCallCount() - before <= 1)
        let rejections = RejectionCounter()
        scheduler.shutdown()
        #expect(rejections.value == 10_000)
        rejections.stop()
    }

    /// The loop sleeps also with timers that are never due, and after wake-ups.
    @Test("An idle loop takes no processor time", arguments: Backend.built)
    func idle(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let disposables = [RxTimeInterval.never, .seconds(.max), .seconds(10_000_000_000), .nanoseconds(.max)].map {
            scheduler.scheduleRelative((), dueTime: $0) { _ in preconditionFailure("must not run") }
        }
        for _ in 0..<10 {
            let done = OneShot()
            scheduler.run { done.fire() }
            #expect(done.wait())
        }
        let before = clock()
        usleep(300_000)
        #expect(Double(clock() - before) / Double(CLOCKS_PER_SEC) < 0.1)
        for disposable in disposables { disposable.dispose() }
        scheduler.shutdown()
    }
}
