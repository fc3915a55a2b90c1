/// Decides what combineLatest does about an event: emit a combination, complete, or wait.
///
/// It only counts; the latest elements are in the slots.
package struct CombineLatestStateMachine {
    package enum Action {
        case wait
        /// Every source has an element: combine the latest ones.
        case emit
        case complete
    }

    private let sources: Int

    /// The number of sources that have sent an element.
    private var supplied = 0
    private var done = 0

    package init(sources: Int) { self.sources = sources }

    /// Counts an element of a source that is not done.
    ///
    /// - Parameter first: whether it is that source's first element.
    package mutating func received(first: Bool) -> Action {
        if first { supplied &+= 1 }
        if supplied == sources { return .emit }
        // All other sources are done, and one of them has no element: no combination can come any more.
        return done == sources - 1 ? .complete : .wait
    }

    /// Counts a source that has completed.
    package mutating func sourceCompleted() -> Action {
        done &+= 1
        return done == sources ? .complete : .wait
    }
}
