// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives
import RxSwift

/// The jobs and sleeps due at the times of a `TestClock`, and the engine's scheduler of operators with that clock.
final class TestClockAgenda: TimedJobScheduler {
    private let lock = Mutex()
    // The lock protects the following fields.
    private let heap = ActionHeap<Duration> { $0 < $1 }
    private var time = Duration.zero
    /// The time to which a thread is advancing the clock.
    private var target = Duration.zero
    /// True if it is advanced until nothing is due, also later than `target`.
    private var runsToEnd = false
    private var isAdvancing = false
    /// The number of tasks that were woken, and have not continued yet.
    private var wakingCount = 0

    var instant: TestClock.Instant { TestClock.Instant(offset: lock.withLock { time }) }

    var times: [Duration] { lock.withLock { heap.times } }

    var nextTime: TestClock.Instant? {
        lock.withLock { heap.next.map { TestClock.Instant(offset: max($0.time, time)) } }
    }

    /// Schedules an action for a time to come; returns nil, having done nothing, if that has come.
    func schedule(at instant: TestClock.Instant, _ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        let scheduled = ScheduledAction(
            UserAction(()) {
                action()
                return Disposables.create()
            })
        return lock.withLock {
            if instant.offset <= time { return nil }
            heap.add(scheduled, at: instant.offset)
            return scheduled
        }
    }

    /// True if a task was woken and has not gone on yet.
    var isWaking: Bool { lock.withLock { wakingCount > 0 } }

    func noteWaking() { lock.withLock { wakingCount += 1 } }

    func noteAwake() { lock.withLock { wakingCount -= 1 } }

    /// Advances the clock, or makes the thread that is advancing it do so.
    ///
    /// - Parameter instant: the time to advance to; nil to go on until nothing is due.
    func advance(to instant: TestClock.Instant?) {
        lock.lock()
        if let instant { target = max(target, instant.offset) } else { runsToEnd = true }
        if isAdvancing { return lock.unlock() }
        isAdvancing = true
        while let next = heap.next, runsToEnd || next.time <= target {
            heap.removeNext()
            time = max(time, next.time)
            lock.unlock()
            var budget = 1
            _ = next.action.run(&budget)
            lock.lock()
        }
        time = max(time, target)
        isAdvancing = false
        runsToEnd = false
        lock.unlock()
    }

    // MARK: TimedJobScheduler

    func submit(_ job: Job) { submit(job, after: .nanoseconds(0)) }

    func submit(_ job: Job, after delay: DispatchTimeInterval) {
        let scheduled = ScheduledAction(
            UserAction(job) { [self] job in
                lock.withLock { job.ticket = nil }
                if !job.isCancelled { job.runToItsEnd(on: self) }
                return Disposables.create()
            })
        lock.withLock {
            job.ticket = scheduled
            heap.add(scheduled, at: time + .nanoseconds(delay.nanosecondsClamped))
        }
    }

    func unschedule(_ job: Job) {
        let scheduled = lock.withLock {
            let scheduled = job.ticket as? ScheduledAction
            job.ticket = nil
            return scheduled
        }
        scheduled?.dispose()
    }

    var now: Int64 { lock.withLock { time }.nanosecondsClamped }

    var runQueue: RunQueue? { nil }

    /// Each step has a place of its own in the order of its time.
    var batchLimit: Int { 1 }

    var hasWaitingJobs: Bool { true }

    var isVirtual: Bool { true }
}
