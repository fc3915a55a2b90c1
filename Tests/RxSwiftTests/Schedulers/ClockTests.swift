// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import TestSupport
import Testing

/// The clocks, timers and counters of schedulers.
@Suite struct ClockTests {
    private static let schedulers: [any SchedulerType] = [
        MainScheduler.instance, ConcurrentMainScheduler.instance, ConcurrentDispatchQueueScheduler(qos: .default),
        SerialDispatchQueueScheduler(qos: .default),
    ]

    @Test("now is the wall clock", arguments: schedulers.indices) func wallClock(index: Int) {
        let before = Date()
        let now = Self.schedulers[index].now
        #expect(before <= now && now <= Date())
    }

    @Test("The concurrent main scheduler has timers") func concurrentMainTimers() async {
        let log = EventLog()
        let once = ConcurrentMainScheduler.instance.scheduleRelative(1, dueTime: .milliseconds(1)) { number in
            log.note("\(number)")
            return Disposables.create()
        }
        #expect(await eventually { log.lines == ["1"] })
        once.dispose()
        log.clear()
        let again = ConcurrentMainScheduler.instance.schedulePeriodic(
            0, startAfter: .milliseconds(1), period: .milliseconds(1)
        ) { number in
            log.note("\(number)")
            return number + 1
        }
        #expect(await eventually { log.lines.count >= 3 })
        again.dispose()
        #expect(log.lines.prefix(3) == ["0", "1", "2"])
    }

    @Test("The main scheduler recognizes the main queue") func mainQueue() async {
        await onMainQueue {
            MainScheduler.ensureExecutingOnScheduler()
            MainScheduler.ensureRunningOnMainThread()
        }
        await #expect(processExitsWith: .failure) {
            onEightMebibytes { MainScheduler.ensureExecutingOnScheduler(errorMessage: "not here") }
        }
        await #expect(processExitsWith: .failure) {
            onEightMebibytes { MainScheduler.ensureRunningOnMainThread() }
        }
    }

    @Test("A historical scheduler counts in seconds") func historicalSeconds() {
        let scheduler = HistoricalScheduler()
        let start = scheduler.now
        let log = EventLog()
        _ = scheduler.scheduleRelative(1, dueTime: .milliseconds(2_500)) { number in
            log.note("\(number) at \(scheduler.now.timeIntervalSince(start))")
            return Disposables.create()
        }
        scheduler.start()
        #expect(log.text == "1 at 2.5")
    }

    #if TRACE_RESOURCES
        /// In a process of its own, since the count is the process's.
        @Test("A program counts objects of its own") func ownObjectCount() async {
            await #expect(processExitsWith: .success) {
                let before = Resources.total
                precondition(Resources.incrementTotal() == before + 1)
                precondition(Resources.decrementTotal() == before)
            }
        }

        @Test("Resources counts the hops of serial dispatch schedulers") func hopCount() {
            let hops = Resources.numberOfSerialDispatchQueueObservables
            let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "counted")
            var observed: Observable<Int>? = Observable<Int>.never().observe(on: scheduler)
            #expect(withExtendedLifetime(observed) { Resources.numberOfSerialDispatchQueueObservables } == hops + 1)
            observed = nil
            #expect(Resources.numberOfSerialDispatchQueueObservables == hops)
        }
    #endif
}
