// SPDX-License-Identifier: Apache-2.0

/// The number of elements between two questions of a source whether it has to pause: 16, and fewer where it was paused.
///
/// A source asks after elements 2, 4, 8, 16, and then after each 16th; after a pause it begins anew. So a stage that two elements fill gets
/// few more of them, and a chain that no stage pauses is rarely asked.
package struct QuestionPace {
    /// The number of elements until the next question.
    private var left: Int
    /// The number of elements between the next question and the one after it; 0 if the next question comes before the first element.
    private var interval: Int

    private static var first: Int { 2 }
    private static var longest: Int { 16 }

    private init(left: Int, interval: Int) { (self.left, self.interval) = (left, interval) }

    package init() { self.init(left: QuestionPace.first, interval: QuestionPace.first) }

    /// The pace of a stage that also asks before its first element, because it counts an element before sending it.
    package static var askingFirst: QuestionPace { QuestionPace(left: 1, interval: 0) }

    /// The pace of a source that does not ask.
    package static var never: QuestionPace { QuestionPace(left: -1, interval: 0) }

    /// Counts an element. Returns true if the source has to ask now; it calls `willAsk` next.
    @inline(__always)
    package mutating func isDue() -> Bool {
        left &-= 1
        return left == 0
    }

    /// Begins a question.
    package mutating func willAsk() {
        left = max(interval, QuestionPace.first)
        interval = interval == 0 ? QuestionPace.first : min(2 * interval, QuestionPace.longest)
    }

    /// Begins anew, as the answer to a question is yes. Before the source pauses: after that another thread may run it.
    package mutating func willPause() { self = QuestionPace() }
}
