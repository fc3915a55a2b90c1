import Foundation
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct WakeUpTests {
    typealias Backend = IOUringScheduler.Backend

    /// Eight threads that hand over now in bursts, now one by one with the loop asleep in between. A wake-up that is lost is
    /// seen as work that does not come.
    @Test(arguments: Backend.built, [IOUringScheduler.Spin.none, .upTo(.microseconds(20))])
    func nothingHandedOverIsForgotten(_ backend: Backend, spin: IOUringScheduler.Spin) {
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
                        // Waiting lets the loop go to sleep.
                        if !done.wait(seconds: 10) { return missing.increment() }
                        if round % 16 == 0 { usleep(UInt32(100 + thread * 13)) }
                    }
                }
            })
        #expect(missing.value == 0)
        scheduler.shutdown()
    }

    /// The race: one thread hands over one by one, just as the loop goes to sleep.
    @Test(arguments: Backend.built)
    func handingOverAsTheLoopGoesToSleepWakesIt(_ backend: Backend) {
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

    @Test(arguments: Backend.built)
    func aBurstCostsOneSystemCallAndNoneWhileTheLoopIsAwake(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let begun = OneShot()
        let gate = OneShot()
        usleep(20_000)
        var before = writeCallCount()
        // The first wakes the loop; it is busy from then on.
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
            // To itself.
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

    /// An idle loop sleeps: also with timers that never come, and behind a wake-up.
    @Test(arguments: Backend.built)
    func anIdleLoopCostsNothing(_ backend: Backend) {
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
