// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives

/// An alarm that fires on a dispatch queue: one kernel timer.
///
/// Made at the first deadline: where the process may have no more threads, Dispatch makes who begins or ends a timer wait for one.
final class DispatchAlarm: TimerAlarm {
    private let queue: DispatchQueue
    private let leeway: DispatchTimeInterval
    private let lock = Mutex()
    /// Nil until the first deadline. Written under the lock by the thread that sets the alarm, which may read it without.
    @exclusivity(unchecked) private var source: (any DispatchSourceTimer)?
    /// Nil from `cancel` on. Under the lock.
    @exclusivity(unchecked) private var timers: SchedulerTimers?

    /// - Parameters:
    ///   - queue: the queue on which the alarm fires.
    ///   - leeway: how much later than its deadline the kernel may fire.
    init(queue: DispatchQueue, leeway: DispatchTimeInterval) {
        self.queue = queue
        self.leeway = leeway
    }

    func activate(for timers: SchedulerTimers) {
        self.timers = timers
    }

    func set(_ deadline: UInt64) {
        guard let source = source ?? makeSource() else { return }
        source.schedule(
            deadline: DispatchTime(uptimeNanoseconds: min(deadline, DispatchAlarm.farFuture)), leeway: leeway)
    }

    /// Makes the source, unless the alarm was cancelled.
    private func makeSource() -> (any DispatchSourceTimer)? {
        guard let timers = lock.withLock({ timers }) else { return nil }
        let made = DispatchSource.makeTimerSource(flags: [], queue: queue)
        made.setEventHandler { timers.expire() }
        made.activate()
        let isCancelled = lock.withLock {
            source = made
            return self.timers == nil
        }
        if isCancelled { made.cancel() }
        return made
    }

    func cancel() {
        var released: SchedulerTimers?
        let source = lock.withLock {
            swap(&released, &timers)
            return self.source
        }
        source?.cancel()
        withExtendedLifetime(released) {}
    }

    /// 73 years in nanoseconds. Dispatch reads the two highest bits of a time as the number of a clock: a later one would be over
    /// already.
    private static let farFuture: UInt64 = 1 << 61
}
