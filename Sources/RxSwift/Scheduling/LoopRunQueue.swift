import RxPrimitives

/// The thread of an event loop, as its run queue sees it.
package protocol LoopThread: AnyObject {
    /// Brings the thread back to work, which may be about to sleep, or asleep. From any thread.
    func wake()
}

/// The run queue of an event loop, whose thread is at work from its start until it goes to sleep in the kernel.
///
/// While the thread is awake nobody has to wake it, and what it hands over to itself takes no atomic
/// read-modify-write.
@usableFromInline
package final class LoopRunQueue: RunQueue {
    /// Each hand-over looks at what is below, and the loop writes what is above with each job.
    private let padding = CachePadding()

    /// The loop's thread. Set by itself, before anybody else knows this queue, and 0 again before it ends: the system gives the
    /// same identity to a thread that is started later.
    private let thread = AtomicWord(0)

    /// The loop, which outlives this queue's use: whoever holds this queue to hand over holds the loop, too. Set once, as
    /// `thread`.
    @exclusivity(unchecked) private unowned(unsafe) var loop: (any LoopThread)?

    /// The loop's.
    package let spares: ActionPool

    /// Rises in each process that is forked, where what waits is not this queue's any more: see `RunQueue.abandon`.
    private let forks = AtomicWord(1)

    /// 1 from when the loop takes no more work, for ever.
    private let closed = AtomicWord(0)

    /// For a thread that is at work from the start.
    ///
    /// - Parameter idleTimeout: see `ActionPool`.
    package init(batchLimit: Int, idleTimeout: UInt64 = 10_000_000_000) {
        spares = ActionPool(idleTimeout: idleTimeout)
        super.init(batchLimit: batchLimit, entered: true)
    }

    /// The calling thread is that of `loop`, which owns this queue.
    package func bind(to loop: any LoopThread) {
        self.loop = loop
        thread.storeRelaxed(CurrentThread.identity)
    }

    /// The calling thread, the loop's, is one like any other from here on. It is still at work.
    package func unbind() { thread.storeRelaxed(0) }

    /// In a process that was just forked from that of the loop. No more than atomic stores.
    package func wasForked() {
        unbind()
        abandon()
        forks.storeRelaxed(forks.loadRelaxed() + 1)
    }

    /// What marks a job as waiting in this queue: not 0, and another word in a forked process, where it waits no more.
    var waitingTag: UInt { forks.loadRelaxed() }

    /// Whether the loop takes no more work. On the loop it is exact, elsewhere out of date as soon as it is read.
    // Acquiring: paired with `close`.
    package var isClosed: Bool { closed.loadAcquiring() != 0 }

    /// What comes from now on will be rejected.
    package func close() { closed.storeReleasing(1) }

    /// Whether the caller runs on the loop's thread.
    // Relaxed: the answer is a thread's own word or that of another thread, never its own of the past.
    package var isOnLoop: Bool { CurrentThread.identity == thread.loadRelaxed() }

    package override func submit(_ job: Job) {
        submit(retained: .passRetained(job))
    }

    /// Hands a job over with the caller's reference to it.
    func submit(retained job: Unmanaged<Job>) {
        if isOnLoop { submitLocal(retained: job) } else { submitRemote(retained: job) }
    }

    /// Hands an action over.
    package func schedule(_ action: consuming UserAction) -> ScheduledAction {
        if isOnLoop {
            let scheduled = spares.takeOnLoop(action)
            submitLocal(scheduled)
            return scheduled
        }
        let scheduled = spares.take(action)
        submitRemote(scheduled)
        return scheduled
    }

    /// Runs jobs until none is left or the budget is used up. Only for the loop.
    ///
    /// - Returns: whether jobs are left.
    package func runJobs(within budget: inout Int) -> Bool { runJobs(within: &budget, keepingIn: spares) }

    package override func wake() { loop?.wake() }

    package override func nameIfHeldByCaller(mainQueueRuns: Bool) -> String? { isOnLoop ? "an event loop" : nil }
}
