/// Decides which inner sources run when only so many may run at a time.
///
/// Not thread-safe: its owner guards it. Runs no foreign code, and hands back what it lets go of.
package struct ConcurrencyLimit<Inner> {
    /// How many may run at a time. With 0 or less, none ever does.
    private let limit: Int
    private var activeCount = 0
    private var hasOuterEnded = false

    /// Waits for a slot; from `firstWaiting` on, nothing before it is left.
    private var waiting: [Inner?] = []
    private var firstWaiting = 0

    package init(limit: Int) { self.limit = limit }

    /// Whether one more may run.
    package var hasRoom: Bool { activeCount < limit }

    /// What the end of a source leads to.
    package enum Next {
        /// This one takes the slot.
        case start(Inner)
        /// The slot stays empty for now.
        case idle
        /// That was the last: the result completes.
        case complete
    }

    /// A new inner source arrived. Returns whether it may run; if not, it waits.
    package mutating func admit(_ inner: Inner) -> Bool {
        if hasRoom {
            activeCount += 1
            return true
        }
        waiting.append(inner)
        return false
    }

    /// One of those running completed.
    package mutating func innerEnded() -> Next {
        if firstWaiting < waiting.count, let inner = waiting[firstWaiting] {
            waiting[firstWaiting] = nil
            firstWaiting += 1
            if firstWaiting == waiting.count || firstWaiting >= 64 && firstWaiting * 2 >= waiting.count {
                waiting.removeFirst(firstWaiting)
                firstWaiting = 0
            }
            return .start(inner)
        }
        activeCount -= 1
        return hasOuterEnded && activeCount == 0 ? .complete : .idle
    }

    /// The outer source completed. Returns whether the result does.
    package mutating func outerEnded() -> Bool {
        hasOuterEnded = true
        return activeCount == 0
    }

    /// Gives up the inner sources that wait.
    package mutating func takeWaiting() -> [Inner?] {
        let given = waiting
        waiting = []
        firstWaiting = 0
        return given
    }
}
