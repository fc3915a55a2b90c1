// SPDX-License-Identifier: Apache-2.0

/// The state by which workers of a pool and submitters decide together, in one word.
///
/// Each method is one transition; `WorkerPool` makes it with one compare-exchange, and then acts on the result.
package struct PoolState: Hashable {
    package private(set) var word: UInt

    package init(word: UInt) { self.word = word }

    /// The number of priorities of a pool.
    package static let levelCount = 5
    package static let allLevels: UInt = 1 << UInt(levelCount) - 1

    /// The bit for a suspended pool, in which no new work is started. The user sets and clears it; `shutdown` clears it for good.
    private static let suspended: UInt = 1 << 5
    /// The bit for a pool that was shut down: it accepts no work, and its workers end when they find none. Never cleared.
    private static let shutdownBit: UInt = 1 << 6

    private static let workerShift: UInt = 16
    private static let sleepingShift: UInt = 32
    private static let searchingShift: UInt = 48
    private static let countMask: UInt = 0xFFFF

    /// The most workers that the counts have room for.
    package static let maxWorkers = Int(countMask)

    /// The levels with work: bit n tells that work of level n may be waiting. A submitter sets it, unless it was set; a worker that
    /// found no work clears it, and looks once more afterwards.
    package var levels: UInt { word & PoolState.allLevels }

    package var isSuspended: Bool { word & PoolState.suspended != 0 }
    package var isShutdown: Bool { word & PoolState.shutdownBit != 0 }

    /// True if a worker should look for work.
    package var hasWork: Bool { levels != 0 && !isSuspended }

    /// The workers that were started and have not ended. Workers end only when shut down.
    package var workerCount: Int { Int(word >> PoolState.workerShift & PoolState.countMask) }
    /// The workers that wait to be woken. The thread that wakes one counts it as searching right away.
    package var sleeping: Int { Int(word >> PoolState.sleepingShift & PoolState.countMask) }
    /// The workers that are awake without work. While there is one, no worker is woken: the searching one finds the work, and if
    /// there is more, wakes another.
    package var searching: Int { Int(word >> PoolState.searchingShift & PoolState.countMask) }

    private static let oneWorker: UInt = 1 << workerShift
    private static let oneSleeping: UInt = 1 << sleepingShift
    private static let oneSearching: UInt = 1 << searchingShift

    /// The step that the thread that made a transition has to take.
    package enum WakeDecision: Equatable {
        case none
        /// A worker is to be woken: signal the semaphore once.
        case wake
        /// The worker with this number is to be started.
        case start(Int)
    }

    /// Notes that work of a level was submitted.
    package mutating func notifyWork(level: Int, limit: Int) -> WakeDecision {
        // A worker of a pool that was shut down looks everywhere and does not sleep.
        if isShutdown { return .none }
        word |= 1 << UInt(level)
        return wakeOne(limit: limit)
    }

    /// Lets one more worker look for waiting work, if none does and there is one to spare.
    package mutating func wakeOne(limit: Int) -> WakeDecision {
        if isShutdown || isSuspended || searching > 0 { return .none }
        if sleeping > 0 {
            word = word &- PoolState.oneSleeping &+ PoolState.oneSearching
            return .wake
        }
        if workerCount == limit { return .none }
        let number = workerCount
        word = word &+ PoolState.oneWorker &+ PoolState.oneSearching
        return .start(number)
    }

    /// The consequence of a start that failed.
    package enum FailedStart: Equatable {
        /// Workers that are awake find the work; without any, the next `notifyWork`, `resume` or `shutdown` starts one.
        case none
        /// A worker is to be woken: signal the semaphore once.
        case wake
        /// The pool was shut down, and there is no worker that would end last.
        case end
    }

    /// Notes that a worker that was counted as existing and searching could not be started.
    package mutating func startFailed() -> FailedStart {
        word = word &- PoolState.oneWorker &- PoolState.oneSearching
        if isShutdown { return workerCount == 0 ? .end : .none }
        // Work may have been left to the search of that worker.
        guard hasWork, searching == 0, sleeping > 0 else { return .none }
        word = word &- PoolState.oneSleeping &+ PoolState.oneSearching
        return .wake
    }

    /// Notes that a worker found nothing at a level, and is about to look once more.
    package mutating func clear(level: Int) { word &= ~(1 << UInt(level)) }

    /// Notes that the same worker did find work. If there is more, it wakes another: others may have gone to sleep meanwhile.
    package mutating func restore(level: Int) { word |= 1 << UInt(level) }

    /// Lets a worker without work search, unless enough others do. Returns true if it may.
    package mutating func beginSearch(limit: Int) -> Bool {
        if searching * 2 >= limit { return false }
        word = word &+ PoolState.oneSearching
        return true
    }

    /// Notes that a searching worker found work.
    package mutating func endSearch() { word = word &- PoolState.oneSearching }

    /// Lets a worker sleep, unless there is something to do. Returns true if it may.
    package mutating func sleep(wasSearching: Bool) -> Bool {
        if hasWork || isShutdown { return false }
        if wasSearching { word = word &- PoolState.oneSearching }
        word = word &+ PoolState.oneSleeping
        return true
    }

    /// Notes that a worker ends, as it found no work after the pool was shut down. Returns true if it is the last one.
    package mutating func end(wasSearching: Bool) -> Bool {
        if wasSearching { word = word &- PoolState.oneSearching }
        word = word &- PoolState.oneWorker
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

    /// The consequences of shutting down a pool.
    package struct ShutdownDecision: Equatable {
        /// The number of times to signal the semaphore.
        package var wake = 0
        package var decision = WakeDecision.none
        /// True if there is nothing to run and no worker that would end last.
        package var isEnd = false
    }

    /// Shuts the pool down: it accepts nothing any more, and all workers look for the work that is left.
    ///
    /// - Parameter hasWork: true if work is waiting. It counts only where no worker was ever started.
    /// - Returns: the consequences; nil if the pool was shut down before.
    package mutating func shutdown(hasWork: Bool) -> ShutdownDecision? {
        if isShutdown { return nil }
        var result = ShutdownDecision(wake: sleeping)
        word = word &- PoolState.oneSleeping &* UInt(result.wake) &+ PoolState.oneSearching &* UInt(result.wake)
        word = word & ~PoolState.suspended | PoolState.shutdownBit
        if workerCount > 0 { return result }
        if hasWork {
            word = word &+ PoolState.oneWorker &+ PoolState.oneSearching
            result.decision = .start(0)
        } else {
            result.isEnd = true
        }
        return result
    }
}
