/// What combineLatest does about an event: emit a combination, complete, or wait.
///
/// Counts only; the latest elements are in the slots.
package struct CombineLatestStateMachine {
    package enum Action {
        case wait
        /// Every source has an element: combine the latest ones.
        case emit
        case complete
    }

    private let sources: Int

    /// How many sources have sent an element.
    private var supplied = 0
    private var done = 0

    package init(sources: Int) { self.sources = sources }

    /// A source that is not done sent an element.
    ///
    /// - Parameter first: whether it is that source's first.
    package mutating func received(first: Bool) -> Action {
        if first { supplied &+= 1 }
        if supplied == sources { return .emit }
        // All others are done, and one of them without an element: no combination can come any more.
        return done == sources - 1 ? .complete : .wait
    }

    /// A source completed.
    package mutating func sourceCompleted() -> Action {
        done &+= 1
        return done == sources ? .complete : .wait
    }
}
