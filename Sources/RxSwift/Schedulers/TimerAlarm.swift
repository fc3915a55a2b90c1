// SPDX-License-Identifier: Apache-2.0

/// The timer below a `SchedulerTimers`, which belongs to what the scheduler runs on.
protocol TimerAlarm: AnyObject {
    /// Makes the alarm call `expire` of `timers`, which it holds until `cancel`. Called once, before all else.
    func activate(for timers: SchedulerTimers)

    /// Moves the alarm to a time. It may also fire at other times.
    ///
    /// - Parameter deadline: the time in monotonic nanoseconds. Called from any thread, by one at a time.
    func set(_ deadline: UInt64)

    /// Releases the timers, which expect nothing more. Called from any thread, any number of times.
    func cancel()
}
