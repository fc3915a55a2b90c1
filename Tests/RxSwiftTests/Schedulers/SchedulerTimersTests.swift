// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct SchedulerTimersTests {
    /// A scheduler with many timers that are far away, armed in no order.
    private static func schedulerWithFarTimers(_ count: Int) -> (any SchedulerType, CompositeDisposable) {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "far timers")
        let timers = CompositeDisposable()
        for number in 0..<count {
            let seconds = 100 + number &* 7_919 % 3_600
            _ = timers.insert(
                scheduler.scheduleRelative((), dueTime: .milliseconds(seconds * 1_000 + number % 997)) { _ in
                    Disposables.create()
                })
        }
        return (scheduler, timers)
    }

    /// A search by sorting for the next timer after each removal of the earliest costs 10 ms a pair; the wheel takes 0.4 us.
    @Test("Arming and disposing of a near and a far timer in turn sorts nothing") func nearAndFarTimers() {
        let (scheduler, timers) = Self.schedulerWithFarTimers(100_000)
        let start = threadNanoseconds()
        for _ in 0..<1_000 {
            let far = scheduler.scheduleRelative((), dueTime: .seconds(3_000)) { _ in Disposables.create() }
            let near = scheduler.scheduleRelative((), dueTime: .milliseconds(50)) { _ in Disposables.create() }
            near.dispose()
            far.dispose()
        }
        #expect((threadNanoseconds() - start) / 1_000 < 100_000)
        timers.dispose()
    }

    /// All but the ten worst calls: other processes and the kernel cost a thread now and then.
    @Test("Arming a timer does not wait for the expiry of many") func armingDuringExpiry() {
        let (scheduler, timers) = Self.schedulerWithFarTimers(1_000)
        let fired = AtomicCounter(0)
        let count = 50_000
        var costs: [UInt64] = []
        costs.reserveCapacity(count)
        for number in 0..<count {
            let start = threadNanoseconds()
            _ = scheduler.scheduleRelative((), dueTime: .microseconds(1 + number * 7_919 % 20_000)) { _ in
                fired.increment()
                return Disposables.create()
            }
            costs.append(threadNanoseconds() - start)
        }
        #expect(costs.sorted().suffix(11).first! < 2_000_000)
        spin { fired.value == count }
        timers.dispose()
    }

    @Test("Timers fire in the order of their deadlines, and none is early") func deadlineOrder() {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "order")
        let done = OneShot()
        nonisolated(unsafe) var early = 0
        nonisolated(unsafe) var seen: [UInt64] = []
        let count = 5_000
        for number in 0..<count {
            let delay = UInt64(1_000_000 + number * 7_919 % 100_000 * 1_000)
            let armed = MonotonicClock.now()
            _ = scheduler.scheduleRelative((), dueTime: .nanoseconds(Int(delay))) { _ in
                if MonotonicClock.now() < armed + delay { early += 1 }
                seen.append(armed + delay)
                if seen.count == count { done.fire() }
                return Disposables.create()
            }
        }
        #expect(done.wait())
        #expect(early == 0)
        // A deadline lies a little behind the reading of the clock here, and a timer that is armed late may be overdue.
        let inversions = zip(seen, seen.dropFirst()).filter { $0 > $1 + 20_000_000 }.count
        #expect(inversions == 0)
    }
}

/// Returns the processor time of the calling thread.
private func threadNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
