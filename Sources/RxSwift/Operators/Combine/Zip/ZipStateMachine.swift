/// Decides what zip does about an event: emit a combination, complete, or wait.
///
/// It only counts; the elements wait in the slots' queues.
package struct ZipStateMachine {
    package enum Action {
        case wait
        /// Every source has an element: take one of each, and report that with `took`.
        case emit
        case complete
    }

    private let sources: Int

    /// True if an element that cannot complete a combination ends the sequence once all other sources are done. The forms for
    /// collections do so, the forms for 2 to 8 sources wait for the last source.
    private let completesWhenOthersAreDone: Bool

    /// The number of sources that have elements queued.
    private var supplied = 0
    package private(set) var done = 0

    /// True if no combination can come any more: a source is done and none of its elements is left. Elements of the other sources
    /// need not be kept then.
    package private(set) var isExhausted = false

    package init(sources: Int, completesWhenOthersAreDone: Bool) {
        self.sources = sources
        self.completesWhenOthersAreDone = completesWhenOthersAreDone
    }

    /// Counts an element that was queued.
    ///
    /// - Parameter first: whether the queue of its source was empty before.
    package mutating func queued(first: Bool) -> Action {
        if first {
            supplied &+= 1
            if supplied == sources { return .emit }
        }
        return discarded()
    }

    /// Handles an element that is not worth queuing, or does not complete a combination.
    package func discarded() -> Action {
        completesWhenOthersAreDone && done == sources - 1 ? .complete : .wait
    }

    /// Notes that one element of each source was taken.
    ///
    /// - Parameter emptied: the number of queues that are empty now.
    package mutating func took(emptied: Int) { supplied &-= emptied }

    /// Counts a source that has completed.
    package mutating func sourceCompleted() -> Action {
        done &+= 1
        return done == sources ? .complete : .wait
    }

    /// Notes that a source that is done has no element left.
    package mutating func exhausted() { isExhausted = true }
}
