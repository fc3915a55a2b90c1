/// Everything that workers of a pool and those who hand over work decide together, as it fits into one word.
///
/// Each method is one transition; `WorkerPool` makes it with one compare-exchange, and then does what the result says.
package struct PoolState: Hashable {
    package private(set) var word: UInt

    package init(word: UInt) { self.word = word }

    /// How many priorities there are.
    package static let levelCount = 5
    package static let allLevels: UInt = 1 << UInt(levelCount) - 1

    /// No new work is started. Set and cleared by the user; cleared for good by `shutdown`.
    private static let suspended: UInt = 1 << 5
    /// No work is accepted any more, and workers end when they find none. Never cleared.
    private static let shutdownBit: UInt = 1 << 6

    private static let liveShift: UInt = 16
    private static let sleepingShift: UInt = 32
    private static let searchingShift: UInt = 48
    private static let countMask: UInt = 0xFFFF

    /// The most workers that the counts have room for.
    package static let mostWorkers = Int(countMask)

    /// Bit n: work of level n may be waiting. Set by whoever handed some over, unless it was set; cleared by a worker that
    /// found none, which looks once more afterwards.
    package var levels: UInt { word & PoolState.allLevels }

    package var isSuspended: Bool { word & PoolState.suspended != 0 }
    package var isShutdown: Bool { word & PoolState.shutdownBit != 0 }

    /// Whether a worker should look for work.
    package var hasWork: Bool { levels != 0 && !isSuspended }

    /// The workers that were started and have not ended. Workers end only when shut down.
    package var workerCount: Int { Int(word >> PoolState.liveShift & PoolState.countMask) }
    /// Those that wait to be woken. Who wakes one counts it as searching right away.
    package var sleeping: Int { Int(word >> PoolState.sleepingShift & PoolState.countMask) }
    /// Those that are awake without work. While there is one, nobody is woken: it finds the work, and if there is more, wakes
    /// another.
    package var searching: Int { Int(word >> PoolState.searchingShift & PoolState.countMask) }

    private static let oneLive: UInt = 1 << liveShift
    private static let oneSleeping: UInt = 1 << sleepingShift
    private static let oneSearching: UInt = 1 << searchingShift

    /// What whoever made a transition has to do.
    package enum WakeDecision: Equatable {
        case none
        /// Signal the semaphore once.
        case wake
        /// Start the worker with this number.
        case start(Int)
    }

    /// Work of a level was handed over.
    package mutating func notifyWork(level: Int, limit: Int) -> WakeDecision {
        // A worker that is shut down in looks everywhere and does not sleep.
        if isShutdown { return .none }
        word |= 1 << UInt(level)
        return wakeOne(limit: limit)
    }

    /// Work is waiting: one more worker is to look for it, if none does and there is one to spare.
    package mutating func wakeOne(limit: Int) -> WakeDecision {
        if isShutdown || isSuspended || searching > 0 { return .none }
        if sleeping > 0 {
            word = word &- PoolState.oneSleeping &+ PoolState.oneSearching
            return .wake
        }
        if workerCount == limit { return .none }
        let number = workerCount
        word = word &+ PoolState.oneLive &+ PoolState.oneSearching
        return .start(number)
    }

    /// What follows from a start that failed.
    package enum FailedStart: Equatable {
        /// Workers that are awake find the work; without any, the next `notifyWork`, `resume` or `shutdown` starts one.
        case none
        /// Signal the semaphore once.
        case wake
        /// The pool was shut down, and there is no worker that would end last.
        case end
    }

    /// A worker that was counted as workerCount and searching could not be started.
    package mutating func startFailed() -> FailedStart {
        word = word &- PoolState.oneLive &- PoolState.oneSearching
        if isShutdown { return workerCount == 0 ? .end : .none }
        // Work may have been left to the search of that worker.
        guard hasWork, searching == 0, sleeping > 0 else { return .none }
        word = word &- PoolState.oneSleeping &+ PoolState.oneSearching
        return .wake
    }

    /// A worker found nothing at a level, and is about to look once more.
    package mutating func clear(level: Int) { word &= ~(1 << UInt(level)) }

    /// That worker found something. If there is more, it calls for decision: others may have gone to sleep meanwhile.
    package mutating func restore(level: Int) { word |= 1 << UInt(level) }

    /// A worker without work looks for some, unless enough others do.
    package mutating func beginSearch(limit: Int) -> Bool {
        if searching * 2 >= limit { return false }
        word = word &+ PoolState.oneSearching
        return true
    }

    /// A worker that searched found work.
    package mutating func endSearch() { word = word &- PoolState.oneSearching }

    /// A worker goes to sleep, unless there is something to do.
    package mutating func sleep(wasSearching: Bool) -> Bool {
        if hasWork || isShutdown { return false }
        if wasSearching { word = word &- PoolState.oneSearching }
        word = word &+ PoolState.oneSleeping
        return true
    }

    /// A worker ends, as it found no work after the pool was shut down. Returns whether it is the last one.
    package mutating func end(wasSearching: Bool) -> Bool {
        if wasSearching { word = word &- PoolState.oneSearching }
        word = word &- PoolState.oneLive
        return workerCount == 0
    }

    package mutating func suspend() {
        if !isShutdown { word |= PoolState.suspended }
    }

    package mutating func resume(limit: Int) -> WakeDecision {
        if !isSuspended { return .none }
        word &= ~PoolState.suspended
        return levels == 0 ? .none : wakeOne(limit: limit)
    }

    /// What follows from shutting down a pool.
    package struct ShutdownDecision: Equatable {
        /// How often to signal the semaphore.
        package var wake = 0
        package var decision = WakeDecision.none
        /// Whether there is nothing to run and nobody who would end last.
        package var isEnd = false
    }

    /// Nothing is accepted any more; all workers look for what is left.
    ///
    /// - Parameter hasWork: whether work is waiting. Counts only where no worker was ever started.
    /// - Returns: nil if it was shut down before.
    package mutating func shutdown(hasWork: Bool) -> ShutdownDecision? {
        if isShutdown { return nil }
        var result = ShutdownDecision(wake: sleeping)
        word = word &- PoolState.oneSleeping &* UInt(result.wake) &+ PoolState.oneSearching &* UInt(result.wake)
        word = word & ~PoolState.suspended | PoolState.shutdownBit
        if workerCount > 0 { return result }
        if hasWork {
            word = word &+ PoolState.oneLive &+ PoolState.oneSearching
            result.decision = .start(0)
        } else {
            result.isEnd = true
        }
        return result
    }
}
