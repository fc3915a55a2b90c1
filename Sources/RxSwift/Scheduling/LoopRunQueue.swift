// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The thread of an event loop, as its run queue sees it.
package protocol LoopThread: AnyObject {
    /// The name of the loop, for messages.
    var name: String { get }

    /// Wakes the thread, which may be about to sleep, or asleep. Any thread may call it.
    func wake()

    /// Reports the number of jobs that were lost. Any thread may call it.
    func reportRejected(_ count: Int)
}

/// The run queue of an event loop, whose thread is the drainer from its start until it goes to sleep in the kernel.
///
/// While the loop thread is awake, a submission does not have to wake it, and a submission by the loop thread takes no atomic
/// read-modify-write.
///
/// A second lane, with an order of its own, is for work that must not wait for the work of users: messages about timers.
@usableFromInline
package final class LoopRunQueue: RunQueue {
    /// Separates the fields below, which each submission reads, from those above, which the loop thread writes with each job.
    private let padding = CachePadding()

    /// The identity of the loop thread. That thread sets it before any other thread knows this queue, and clears it to 0 before it
    /// ends, because the system gives the same identity to a thread that is started later.
    private let thread = AtomicWord(0)

    /// The loop, which outlives this queue's use: a caller that holds this queue to submit holds the loop, too. Set once, in the same
    /// way as `thread`.
    @exclusivity(unchecked) private unowned(unsafe) var loop: (any LoopThread)?

    /// The recycled actions of the loop.
    package let actionPool: ActionPool

    /// Incremented in each process that is forked, where the waiting jobs do not belong to this queue any more: see
    /// `RunQueue.abandon`.
    private let forks = AtomicWord(1)

    /// 1 from when the loop takes no more work; never cleared.
    private let closed = AtomicWord(0)

    /// Jobs of the express lane that the loop thread has not seen.
    private let expressStack = JobStack()
    /// Jobs of the express lane, in order. Only the drainer accesses it.
    @exclusivity(unchecked) private var expressQueue = JobQueue()

    /// The jobs of the express lane that other threads have submitted and the loop has not counted as taken.
    private let expressBacklog = AtomicWord(0)
    /// The number of jobs taken since the backlog was last reduced. Only the drainer accesses it.
    @exclusivity(unchecked) private var expressTaken: UInt = 0

    /// Creates a queue whose loop thread is the drainer from the start.
    ///
    /// - Parameter idleTimeout: the same as for `ActionPool`.
    package init(batchLimit: Int, idleTimeout: UInt64 = 10_000_000_000) {
        actionPool = ActionPool(idleTimeout: idleTimeout)
        super.init(batchLimit: batchLimit, entered: true)
    }

    /// Makes the calling thread the loop thread, which is that of `loop`, the owner of this queue.
    package func bind(to loop: any LoopThread) {
        self.loop = loop
        thread.storeRelaxed(CurrentThread.identity)
    }

    /// Makes the calling thread, the loop thread, a thread like any other. It is still the drainer of this queue.
    package func unbind() { thread.storeRelaxed(0) }

    /// Resets the queue in a process that was just forked from that of the loop. Makes no more than atomic stores.
    package func wasForked() {
        unbind()
        abandon()
        expressStack.abandon()
        expressBacklog.storeRelaxed(0)
        forks.storeRelaxed(forks.loadRelaxed() + 1)
    }

    /// The word that marks a job as waiting in this queue. It is not 0, and it differs in a forked process, where the job waits no
    /// more.
    var waitingTag: UInt { forks.loadRelaxed() }

    /// True if the loop takes no more work. The answer is exact on the loop thread, elsewhere out of date as soon as it is read.
    // Acquiring: paired with `close`.
    package var isClosed: Bool { closed.loadAcquiring() != 0 }

    /// Closes the queue: work submitted from now on will be rejected.
    package func close() { closed.storeReleasing(1) }

    /// True if the caller runs on the loop thread.
    // Relaxed: a thread that has called `bind` or `unbind` reads its own last store; any other thread finds no word equal to its identity.
    package var isOnLoop: Bool { CurrentThread.identity == thread.loadRelaxed() }

    package override func submit(_ job: Job) {
        submit(retained: .passRetained(job))
    }

    /// Submits a job that can be rejected on any thread, beside any other.
    ///
    /// When the loop takes no more work, the caller rejects the job: a thread that keeps submitting then occupies no other thread.
    package func submitIndependent(_ job: Job) {
        if isOnLoop { return submitLocal(job) }
        if !rejects(job) { submitRemote(job) }
    }

    /// Rejects a job if the loop takes no more work, and the caller is another thread. Returns whether it did.
    func rejects(_ job: Job) -> Bool { isClosed && !isOnLoop && reject(job) }

    @inline(never)
    private func reject(_ job: Job) -> Bool {
        guard let isLost = job.rejectBySubmitter() else { return false }
        if isLost { loop?.reportRejected(1) }
        return true
    }

    /// Submits a job with the caller's reference to it.
    func submit(retained job: Unmanaged<Job>) {
        if isOnLoop { submitLocal(retained: job) } else { submitRemote(retained: job) }
    }

    /// Submits an action, in a recycled object if there is one.
    package func schedule(_ action: consuming UserAction) -> ScheduledAction {
        if isOnLoop {
            let scheduled = actionPool.takeOnLoop(action)
            submitLocal(scheduled)
            return scheduled
        }
        let scheduled = actionPool.take(action)
        if !rejects(scheduled) { submitRemote(scheduled) }
        return scheduled
    }

    /// Runs jobs until none is left or the turn is over. Only the loop thread may call it.
    ///
    /// - Returns: the number of steps taken, and true if jobs are left.
    package func runJobs(in turn: TurnBudget) -> (steps: Int, isLeft: Bool) { runJobs(in: turn, keepingIn: actionPool) }

    // MARK: The express lane

    /// Submits a job to the express lane, whose jobs run in the order of their submission, each before the next turn of other work.
    ///
    /// A thread that submits faster than the loop takes jobs is slowed down: it gives its processor away, or sleeps for up to 100 µs, but never
    /// waits for the loop.
    package func submitExpress(_ job: Job) {
        if rejects(job) { return }
        let waiting = expressBacklog.fetchAdd(1)
        if expressStack.push(.passRetained(job)), activate() { wake() }
        if waiting > LoopRunQueue.mostExpress, !isOnLoop { slowDown(waiting) }
    }

    /// Gives the loop time to catch up. Threads that arm timers and dispose of them at once would take gigabytes, and the loop would do nothing but
    /// handle their messages.
    @inline(never)
    private func slowDown(_ waiting: UInt) {
        if waiting > 4 * LoopRunQueue.mostExpress { usleep(100) } else { _ = sched_yield() }
    }

    /// The backlog of the express lane from which threads that add to it are slowed down.
    private static let mostExpress: UInt = 16_384

    /// Submits a closure to the express lane: for work of the runtime that must not wait for the work of users.
    ///
    /// - Parameter rejected: called instead, on any thread, if the loop takes no more work; returns whether that is to be
    ///   reported.
    package func submitExpress(_ body: @escaping () -> Void, rejected: @escaping () -> Bool = { false }) {
        submitExpress(
            WorkJob { _, isRejected in
                if isRejected { return rejected() }
                body()
                return true
            })
    }

    /// True if all jobs of the express lane that the caller knows of have run or are running. Only the loop thread may read it.
    package var isExpressIdle: Bool { expressQueue.isEmpty && expressStack.isEmpty }

    /// Takes the next job from the express lane. Only the drainer may call it.
    package func popExpress() -> Job? {
        if expressQueue.isEmpty {
            if expressTaken > 0 {
                _ = expressBacklog.fetchAdd(0 &- expressTaken)
                expressTaken = 0
            }
            if !expressStack.take(into: &expressQueue) { return nil }
        }
        expressTaken += 1
        return expressQueue.popFirst()
    }

    /// Rejects the jobs that hold events of those that wait in the express lane. Only the drainer may call it.
    ///
    /// - Returns: the number of pieces of work that are lost.
    package func rejectExpressEvents() -> Int {
        var lost = 0
        expressStack.take(into: &expressQueue)
        var waiting = JobQueue()
        swap(&waiting, &expressQueue)
        while let job = waiting.popFirst() {
            if !job.holdsEvents {
                expressQueue.append(job)
                continue
            }
            expressTaken += 1
            if job.wasRejected() { lost += 1 }
        }
        return lost
    }

    package override func tryGoIdle() -> Bool {
        if !super.tryGoIdle() { return false }
        // Read after the exchange that made the queue idle: see `activate`.
        if expressStack.isEmpty { return true }
        resume()
        return false
    }

    package override func rejectAll() -> Int {
        var lost = 0
        while true {
            while let job = popExpress() {
                if job.wasRejected() { lost += 1 }
            }
            lost += super.rejectAll()
            if expressStack.isEmpty { return lost }
            resume()
        }
    }

    package override func rejectPending() -> Int {
        var lost = 0
        var rejected = JobQueue()
        repeat {
            expressStack.take(into: &rejected)
            expressBacklog.storeRelaxed(0)
            while let job = rejected.popFirst() {
                if job.wasRejected() { lost += 1 }
            }
            lost += super.rejectPending()
            // Another thread may have submitted to the express lane before the queue was idle again.
        } while !expressStack.isEmpty && activate()
        return lost
    }

    package override func wake() { loop?.wake() }

    package override func nameIfHeldByCaller(mainQueueRuns: Bool) -> String? {
        isOnLoop ? "the event loop \(loop?.name ?? "")" : nil
    }
}
