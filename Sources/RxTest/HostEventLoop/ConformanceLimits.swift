// SPDX-License-Identifier: Apache-2.0

/// What a check of a host's loop allows. Times are in nanoseconds.
package struct ConformanceLimits: Sendable {
    /// How long a check waits for what must come.
    let waiting: Int64
    /// How late a body with a delay may come.
    let lateness: Int64
    /// True if all bodies must run on one thread.
    let usesOneThread: Bool

    package init(waiting: Int64, lateness: Int64, usesOneThread: Bool) {
        self.waiting = waiting
        self.lateness = lateness
        self.usesOneThread = usesOneThread
    }

    var waitingText: String { ConformanceLimits.text(waiting) }

    /// A time as a text in milliseconds.
    static func text(_ nanoseconds: Int64) -> String {
        let microseconds = nanoseconds / 1_000
        let fraction = String(1_000 + microseconds % 1_000).dropFirst()
        return "\(microseconds / 1_000).\(fraction) ms"
    }
}
