// SPDX-License-Identifier: Apache-2.0

/// Decides what zip and combineLatest do about an event: emit a combination, complete, or wait.
///
/// It only counts; the elements are in the slots.
package struct CombinationStateMachine {
    package enum Action {
        case wait
        /// Every source has an element: combine them, and report with `took` if they were taken.
        case emit
        case complete
    }

    private let sources: Int

    /// True if an element that cannot complete a combination ends the sequence once all other sources are done. Only the forms of
    /// zip for 2 to 8 sources wait for the last source.
    private let completesWhenOthersAreDone: Bool

    /// The number of sources that have elements.
    private var supplied = 0
    package private(set) var done = 0

    /// True if no combination can come any more: a source is done and none of its elements is left. Elements of the other sources
    /// need not be kept then.
    package private(set) var isExhausted = false

    package init(sources: Int, completesWhenOthersAreDone: Bool) {
        self.sources = sources
        self.completesWhenOthersAreDone = completesWhenOthersAreDone
    }

    /// Counts an element that its slot keeps.
    ///
    /// - Parameter first: whether the slot had none before.
    @inline(__always)
    package mutating func received(first: Bool) -> Action {
        if first { supplied &+= 1 }
        return supplied == sources ? .emit : discarded()
    }

    /// Handles an element that is not worth keeping, or does not complete a combination.
    package func discarded() -> Action {
        completesWhenOthersAreDone && done == sources - 1 ? .complete : .wait
    }

    /// Notes that one element of each source was taken.
    ///
    /// - Parameter emptied: the number of slots that are empty now.
    package mutating func took(emptied: Int) { supplied &-= emptied }

    /// Counts a source that has completed.
    package mutating func sourceCompleted() -> Action {
        done &+= 1
        return done == sources ? .complete : .wait
    }

    /// Notes that a source that is done has no element left.
    package mutating func exhausted() { isExhausted = true }
}
