// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

// Algorithm: a free list in three places. The loop thread gathers the actions that it recycles in batches, and pushes each batch as a
// whole on the stack `returned`. The loop thread and the next thread that needs an action take that stack as a whole. Threads other
// than the loop thread keep the actions they took in `stock`, a list of which one thread at a time takes the first: the word is
// `inUse` meanwhile, and a thread that finds it so makes a new action instead of waiting.
// Safe against ABA: nothing is removed from a list that another thread may be removing from.
// Progress: everything is wait-free, but for `publishBatch`, which tries again when another thread took the stack meanwhile.
// Threads: `take` from any thread but the loop thread; everything else by the loop thread.

/// A pool of used actions for later ones.
///
/// Allocating an object, and releasing it on another thread than the one that made it, takes longer than everything else that happens
/// to an action.
///
/// Keeps as many actions as were in use at once lately, of 64 bytes each, but no more than `limit`. The event loop releases them when
/// it has not needed any for a while.
package final class ActionPool {
    // Only the loop thread accesses the following fields. Lists are linked through the jobs, and each element is retained.
    /// The batch that is being gathered, latest first, and its last element.
    @exclusivity(unchecked) private var batch: Unmanaged<Job>?
    @exclusivity(unchecked) private var batchEnd: Unmanaged<Job>?
    @exclusivity(unchecked) private var batchCount = 0
    /// The list that the loop thread took from `returned` or `stock`.
    @exclusivity(unchecked) private var own: Unmanaged<Job>?
    /// The number of batches in `returned`, if no other thread took them meanwhile.
    @exclusivity(unchecked) private var returnedCount = 0
    /// The time when the last batch was full; nil if all recycled actions were released since.
    @exclusivity(unchecked) private var lastRecycled: UInt64?
    @exclusivity(unchecked) private var isTrimming = false

    private let uniqueness = UniquenessCheck()

    // These are stored here, where reading them costs no call.
    private let actionType = ObjectIdentifier(ScheduledAction.self)
    private let repeatedType = ObjectIdentifier(RepeatedJob.QueuedJob.self)

    private let padding = CachePadding()
    /// 0, `inUse`, or the address of the first of a list.
    private let stock = AtomicWord(0)
    private let stockPadding = CachePadding()
    /// 0, or the address of the first of a list.
    private let returned = AtomicWord(0)

    private static let inUse: UInt = 1
    #if RX_MODEL_CHECK
        private static let batchSize = 1
    #else
        private static let batchSize = 64
    #endif
    /// The maximum number of batches in `returned`.
    private static let limit = 2_048
    /// Nanoseconds without need, after which all actions are released.
    private let idleTimeout: UInt64

    /// - Parameter idleTimeout: nanoseconds without need, after which all actions are released.
    package init(idleTimeout: UInt64) { self.idleTimeout = idleTimeout }

    deinit {
        for list in [batch, own, Unmanaged(word: stock.loadAcquiring()), Unmanaged(word: returned.loadAcquiring())] {
            var rest = list
            while let first = rest { rest = ActionPool.release(first) }
        }
    }

    // MARK: Taking

    /// Returns an object for an action, new or recycled. Only the loop thread may call it.
    @inline(__always)
    func takeOnLoop(_ action: consuming UserAction) -> ScheduledAction {
        if let first = batch {
            batch = first.next
            batchCount -= 1
            return ActionPool.refill(first, action)
        }
        if own == nil, returned.loadRelaxed() != 0 {
            // Acquiring, here and in `take`: paired with the compare-exchange in `publishBatch`.
            own = Unmanaged(word: returned.exchange(0))
        }
        guard let first = own else { return ScheduledAction(action) }
        own = first.next
        return ActionPool.refill(first, action)
    }

    /// Returns an object for an action, new or recycled. For all threads but the loop thread.
    @inline(__always)
    func take(_ action: consuming UserAction) -> ScheduledAction {
        guard stock.loadRelaxed() != ActionPool.inUse else { return ScheduledAction(action) }
        // Acquiring: paired with the stores below.
        var list = stock.exchange(ActionPool.inUse)
        if list == ActionPool.inUse { return ScheduledAction(action) }
        if list == 0, returned.loadRelaxed() != 0 { list = returned.exchange(0) }
        guard let first = Unmanaged(word: list) else {
            stock.storeReleasing(0)
            return ScheduledAction(action)
        }
        stock.storeReleasing(first.next?.word ?? 0)
        return ActionPool.refill(first, action)
    }

    // MARK: Recycling

    /// Takes over the queue's reference to a job that has run.
    ///
    /// Keeps the job if there is no other reference to it and it can be used again.
    @inline(__always)
    func recycle(_ job: Unmanaged<Job>) {
        let type = job._withUnsafeGuaranteedRef { ObjectIdentifier(Swift.type(of: $0)) }
        guard type == actionType,
            Unmanaged<ScheduledAction>.fromOpaque(job.toOpaque())._withUnsafeGuaranteedRef({ $0.isDone }),
            uniqueness.isUniquelyReferenced(job)
        else {
            // A repeated job owns its reference, which the queue only borrowed.
            if type != repeatedType { job.release() }
            return
        }
        #if TRACE_RESOURCES
            ResourceCensus.died(ScheduledAction.self)
        #endif
        if batch == nil { batchEnd = job }
        job.next = batch
        batch = job
        batchCount += 1
        if batchCount == ActionPool.batchSize { publishBatch() }
    }

    @inline(never)
    private func publishBatch() {
        guard let first = batch, let last = batchEnd else { return }
        batchCount = 0
        lastRecycled = MonotonicClock.now()
        if returnedCount == ActionPool.limit, returned.loadRelaxed() != 0 {
            while let surplus = batch { batch = ActionPool.release(surplus) }
            return
        }
        batch = nil
        var head: UInt
        repeat {
            head = returned.loadRelaxed()
            last.next = Unmanaged(word: head)
        } while !returned.compareExchange(head, first.word)
        returnedCount = head == 0 ? 1 : returnedCount + 1
    }

    // MARK: Trimming

    /// The time when `trim` may find something to do, in monotonic nanoseconds. Only the loop thread may read it.
    package var nextTrim: UInt64? { lastRecycled.map { $0 + idleTimeout } }

    /// Uses an idle moment to release a few actions, if none were needed for a while.
    ///
    /// Only the loop thread may call it. Returns true if there are more actions to release.
    package func trim() -> Bool {
        if let due = nextTrim, MonotonicClock.now() >= due { startTrimming() }
        if !isTrimming { return false }
        for _ in 0..<ActionPool.batchSize {
            guard let first = own else {
                isTrimming = false
                return lastRecycled != nil
            }
            own = ActionPool.release(first)
        }
        return true
    }

    /// Takes one of the lists for `trim` to release, if there still is one.
    private func startTrimming() {
        if own == nil { own = Unmanaged(word: returned.exchange(0)) }
        if own == nil {
            let list = stock.exchange(ActionPool.inUse)
            if list == ActionPool.inUse {
                // Another thread is using the stock: the loop thread tries again later.
                lastRecycled = MonotonicClock.now()
                return
            }
            stock.storeReleasing(0)
            own = Unmanaged(word: list)
        }
        isTrimming = own != nil
        if own == nil { lastRecycled = nil }
    }

    // MARK: Lists

    @inline(__always)
    private static func refill(_ recycled: Unmanaged<Job>, _ action: consuming UserAction) -> ScheduledAction {
        #if TRACE_RESOURCES
            ResourceCensus.born(ScheduledAction.self)
        #endif
        let scheduled = unsafeDowncast(recycled.takeRetainedValue(), to: ScheduledAction.self)
        scheduled.refill(action)
        return scheduled
    }

    /// Releases an action, and returns the next one in its list.
    private static func release(_ recycled: Unmanaged<Job>) -> Unmanaged<Job>? {
        #if TRACE_RESOURCES
            ResourceCensus.born(ScheduledAction.self)
        #endif
        let next = recycled.next
        recycled.release()
        return next
    }
}
