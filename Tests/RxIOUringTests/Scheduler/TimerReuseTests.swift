// SPDX-License-Identifier: Apache-2.0

import CTestSupport
import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// An event loop reuses timers that are over, which callers must not notice.
@Suite struct TimerReuseTests {
    @Test("Disposing of a timer again leaves later timers alone", arguments: Backend.built)
    func secondDispose(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let fired = AtomicCounter(0)
            let kept = Guarded<[any Disposable]>([])
            for round in 1...50 {
                scheduler.performAndWait {
                    for number in 0..<20 {
                        let disposed = scheduleCount(fired, .seconds(1_000), on: scheduler)
                        disposed.dispose()
                        if number.isMultiple(of: 3) { kept.value.append(disposed) }
                        _ = scheduleCount(fired, .microseconds(number), on: scheduler)
                    }
                    for disposable in kept.value { disposable.dispose() }
                }
                #expect(soon { fired.value == round * 20 })
            }
        }
    }

    @Test("A weakly held timer is not a later timer", arguments: Backend.built)
    func weakTimer(_ backend: Backend) {
        onLoop(backend) { scheduler in
            scheduler.performAndWait {
                let never = AtomicCounter(0)
                var timer: (any Disposable)? = scheduleCount(never, .seconds(1_000), on: scheduler)
                weak let old = timer as AnyObject?
                timer?.dispose()
                timer = nil
                for _ in 0..<100 {
                    let later = scheduleCount(never, .seconds(1_000), on: scheduler)
                    #expect(old == nil || old !== later as AnyObject)
                    later.dispose()
                }
            }
        }
    }

    /// The race: one thread has the loop arm timers, and another disposes of every second one, before or after it fires.
    @Test("Each timer fires once unless it was disposed of", arguments: Backend.built)
    func disposeRace(_ backend: Backend) {
        let count = stepCount(100_000, debug: 10_000)
        onLoop(backend) { scheduler in
            let firings = (0..<count).map { _ in AtomicCounter(0) }
            let armed = Guarded<[Int: any Disposable]>([:])
            let disposed = AtomicCounter(0)
            race(
                {
                    var number = 0
                    while number < count {
                        let first = number
                        scheduler.performAndWait {
                            for number in first..<min(first + 50, count) {
                                let timer = scheduler.scheduleRelative(number, dueTime: .microseconds(number % 100)) {
                                    firings[$0].increment()
                                    return Disposables.create()
                                }
                                if number.isMultiple(of: 2) { armed.change { $0[number] = timer } }
                            }
                        }
                        number += 50
                    }
                },
                {
                    while disposed.value < count / 2 {
                        for (_, timer) in armed.exchange([:]) {
                            timer.dispose()
                            disposed.increment()
                        }
                    }
                })
            #expect(soon { stride(from: 1, to: count, by: 2).allSatisfy { firings[$0].value == 1 } })
            #expect(firings.allSatisfy { $0.value <= 1 })
        }
    }

    @Test("Unused timers are released in time", arguments: Backend.built)
    func unusedTimers(_ backend: Backend) {
        let count = 20_000
        var configuration = IOUringScheduler.Configuration(backend: backend)
        configuration.idleTimeout = 100_000_000
        let scheduler = IOUringScheduler(configuration)
        let before = rx_test_heap_bytes()
        let never = AtomicCounter(0)
        scheduler.performAndWait {
            let timers = (0..<count).map { _ in scheduleCount(never, .seconds(1_000), on: scheduler) }
            for timer in timers { timer.dispose() }
        }
        // A tenth of their memory may stay, since the rest of the process allocates, too.
        #expect(soon(seconds: 5) { rx_test_heap_bytes() < before + UInt(count) * 10 })
        scheduler.shutdown()
    }

    private func scheduleCount(
        _ counter: AtomicCounter, _ dueTime: RxTimeInterval, on scheduler: IOUringScheduler
    ) -> any Disposable {
        scheduler.scheduleRelative((), dueTime: dueTime) {
            counter.increment()
            return Disposables.create()
        }
    }
}
