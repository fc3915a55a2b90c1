// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// An alarm that fires on a dispatch queue: one kernel timer.
final class DispatchAlarm: TimerAlarm {
    private let source: any DispatchSourceTimer
    private let leeway: DispatchTimeInterval

    /// - Parameters:
    ///   - queue: the queue on which the alarm fires.
    ///   - leeway: how much later than its deadline the kernel may fire.
    init(queue: DispatchQueue, leeway: DispatchTimeInterval) {
        self.leeway = leeway
        source = DispatchSource.makeTimerSource(flags: [], queue: queue)
    }

    func activate(for timers: SchedulerTimers) {
        source.setEventHandler { timers.expire() }
        source.activate()
    }

    func set(_ deadline: UInt64) {
        source.schedule(
            deadline: DispatchTime(uptimeNanoseconds: min(deadline, DispatchAlarm.farFuture)), leeway: leeway)
    }

    func cancel() { source.cancel() }

    /// 73 years in nanoseconds. Dispatch reads the two highest bits of a time as the number of a clock: a later one would be over
    /// already.
    private static let farFuture: UInt64 = 1 << 61
}
