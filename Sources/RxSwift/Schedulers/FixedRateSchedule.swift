// SPDX-License-Identifier: Apache-2.0

/// The times when something periodic is due, in nanoseconds.
///
/// Counts from when a run was due, not from when it came, so that the period does not drift.
package struct FixedRateSchedule {
    private let period: Int64
    private var due: Int64

    /// - Parameters:
    ///   - period: the time between two runs; less than 1 counts as 1.
    ///   - due: when the first run is due.
    package init(period: Int64, due: Int64) {
        self.period = max(period, 1)
        self.due = due
    }

    /// Advances the schedule to the next run.
    ///
    /// Of the runs that were missed one is made up for, at once.
    /// - Returns: how long to wait for it.
    package mutating func next(at now: Int64) -> Int64 {
        due = due.addingClamped(period)
        if due < now { due += (now - due) / period * period }
        return max(0, due - now)
    }
}
