/// Decides which inner source has the say when only the latest one has.
///
/// Not thread-safe: its owner guards it. Runs no foreign code, and hands back what it lets go of.
package struct SwitchLatestStateMachine<Inner: AnyObject> {
    private var current: Inner?
    private var hasOuterEnded = false

    package init() {}

    /// The one that is running.
    package var running: Inner? { current }

    /// Whether this one is the latest, and has not ended.
    package func isCurrent(_ inner: Inner) -> Bool { current === inner }

    /// A new one takes over. Returns the one that is superseded, if it was still running.
    package mutating func supersede(by inner: Inner) -> Inner? {
        let superseded = current
        current = inner
        return superseded
    }

    /// What the end of an inner source leads to.
    package enum Next {
        /// Nothing: it had been superseded.
        case ignored
        /// The source goes on.
        case idle
        /// That was the last: the result ends.
        case last
    }

    /// One ended.
    package mutating func innerEnded(_ inner: Inner) -> Next {
        guard current === inner else { return .ignored }
        current = nil
        return hasOuterEnded ? .last : .idle
    }

    /// The outer source completed. Returns whether the result does.
    package mutating func outerEnded() -> Bool {
        hasOuterEnded = true
        return current == nil
    }

    /// Gives up the one that is running.
    package mutating func takeCurrent() -> Inner? {
        defer { current = nil }
        return current
    }
}
