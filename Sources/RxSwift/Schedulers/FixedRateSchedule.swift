// SPDX-License-Identifier: Apache-2.0

package import Dispatch

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

    /// A schedule whose first run is due `startAfter` from now. Of runs that were due in the past there is one, at once, and the others keep their times.
    package init(period: DispatchTimeInterval, startAfter: DispatchTimeInterval, now: Int64) {
        let period = max(period.nanosecondsClamped, 1)
        let start = startAfter.signedNanoseconds
        self.init(period: period, due: now.addingClamped(start < 0 ? start % period : start))
    }

    /// Advances the schedule to the next run.
    ///
    /// Of the runs that were missed one is made up for, at once.
    /// - Returns: how long to wait for it.
    package mutating func next(at now: Int64) -> Int64 {
        due = due.addingClamped(period)
        if due < now { due = due.addingClamped(now.subtractingClamped(due) / period * period) }
        return max(0, due.subtractingClamped(now))
    }
}
