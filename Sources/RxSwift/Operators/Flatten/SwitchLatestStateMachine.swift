// SPDX-License-Identifier: Apache-2.0

/// Decides which inner source may send events when only the latest one may.
///
/// Not thread-safe: its owner guards it. Runs no foreign code, and returns the objects that it drops.
package struct SwitchLatestStateMachine<Inner: AnyObject> {
    private var current: Inner?
    private var hasOuterEnded = false

    package init() {}

    /// The inner source that is running.
    package var running: Inner? { current }

    /// Tells whether this inner source is the latest, and has not ended.
    package func isCurrent(_ inner: Inner) -> Bool { current === inner }

    /// Makes a new inner source the latest. Returns the superseded one, if it was still running.
    package mutating func supersede(by inner: Inner) -> Inner? {
        let superseded = current
        current = inner
        return superseded
    }

    /// The consequence of the end of an inner source.
    package enum Next {
        /// Nothing follows, as it had been superseded.
        case ignored
        /// The outer source has not ended yet.
        case idle
        /// That was the last source, so the result ends.
        case last
    }

    /// Notes that an inner source has ended.
    package mutating func innerEnded(_ inner: Inner) -> Next {
        guard current === inner else { return .ignored }
        current = nil
        return hasOuterEnded ? .last : .idle
    }

    /// Notes that the outer source has completed. Returns whether the result completes too.
    package mutating func outerEnded() -> Bool {
        hasOuterEnded = true
        return current == nil
    }

    /// Removes and returns the inner source that is running.
    package mutating func takeCurrent() -> Inner? {
        defer { current = nil }
        return current
    }
}
