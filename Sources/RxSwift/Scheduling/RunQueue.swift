import RxPrimitives

// Algorithm: as in DrainLoop, a word that is both the mark of the one at work and the head of a Treiber stack, here of jobs
// linked through themselves. The word keeps the address of the job handed over last even after the stack was taken, so that a
// hop can tell whether its batch is still the last one, and extend it instead of queueing another.
// Progress: `submit` and `isLast` are lock-free.
// Threads: `submit` and `isLast` from any thread; everything else by the one at work.

/// The run queue of a serial scheduler: events of all its hops and its scheduled actions, in hand-over order (law L4).
///
/// Somebody is at work from the hand-over that finds the queue idle until it is empty again; `wake` brings that one to life.
@usableFromInline
package class RunQueue {
    /// Idle; else the address of the job handed over last, with `taken` when that job is not pending any more. `taken` alone:
    /// somebody entered an idle queue.
    private let state: AtomicWord

    /// The address of the job that the one at work queued last, if none was taken from the stack since; else 0. Written by
    /// the one at work.
    private let lastFromWithin = AtomicWord(0)

    /// What is above, every thread that hands over writes; what is below, only the one at work.
    private let padding = CachePadding()

    /// Jobs taken from the stack, in order, and those that the one at work queued itself. Only the one at work.
    @exclusivity(unchecked) private var batch = JobQueue()

    /// Whether work is under way that `tryEnterInline` let in, and the queue that let in the work which that is part of. Only
    /// where work may run inline: on the main queue.
    @exclusivity(unchecked) private var isInline = false
    @exclusivity(unchecked) private var outerInline: Unmanaged<RunQueue>?

    /// The queue that let in the innermost work that is running inline. Only on the main queue.
    @exclusivity(unchecked) nonisolated(unsafe) private static var innermostInline: Unmanaged<RunQueue>?

    private static let idle: UInt = 0
    private static let taken: UInt = 1

    /// How many steps are taken per batch before others on the underlying queue get theirs.
    package final let batchLimit: Int

    /// - Parameters:
    ///   - batchLimit: how many steps are taken per batch.
    ///   - entered: whether somebody is at work from the start.
    @usableFromInline
    package init(batchLimit: Int, entered: Bool = false) {
        self.batchLimit = batchLimit
        state = AtomicWord(entered ? RunQueue.taken : RunQueue.idle)
    }

    deinit {
        takePending()
    }

    /// Arranges for `drainBatch` to be called soon. Called when the queue was idle, and when a batch ended before the queue did.
    package func wake() { abstractMethod() }

    /// Whether the calling thread may run work right away if the queue is idle.
    package var runsInline: Bool { false }

    /// The name of the underlying queue, if no batch can run there while the calling thread waits. Nil also where that is not
    /// known, and where the caller can run what waits behind its own inline work.
    ///
    /// - Parameter mainQueueRuns: whether the caller runs the main queue while it waits.
    package func nameIfHeldByCaller(mainQueueRuns: Bool) -> String? { nil }

    // MARK: Handing over

    /// Hands a job over. It is in no queue.
    package func submit(_ job: Job) {
        submitRemote(job)
    }

    package final func submitRemote(_ job: Job) {
        submitRemote(retained: .passRetained(job))
    }

    package final func submitRemote(retained job: Unmanaged<Job>) {
        if push(job) { wake() }
    }

    /// `submit` by the one at work: no atomic read-modify-write, unless others have handed over something meanwhile.
    package final func submitLocal(_ job: Job) {
        submitLocal(retained: .passRetained(job))
    }

    package final func submitLocal(retained job: Unmanaged<Job>) {
        let address = UInt(bitPattern: job.toOpaque())
        if hasPending { takePending(before: address) }
        lastFromWithin.storeRelaxed(address)
        batch.append(retained: job)
    }

    /// Returns whether the queue was idle, in which case the caller has to see to it that it is run.
    private final func push(_ job: Unmanaged<Job>) -> Bool {
        let address = UInt(bitPattern: job.toOpaque())
        while true {
            let head = state.loadRelaxed()
            let isPending = head != RunQueue.idle && head & RunQueue.taken == 0
            job._withUnsafeGuaranteedRef {
                $0.nextInQueue = isPending ? .fromOpaque(UnsafeRawPointer(bitPattern: head)!) : nil
            }
            // Releasing: paired with the acquire in `takePending`.
            if state.compareExchange(head, address) { return head == RunQueue.idle }
        }
    }

    /// Whether `job` was handed over last, and may still be in the queue or at work.
    package final func isLast(_ job: Job) -> Bool {
        let address = UInt(bitPattern: Unmanaged.passUnretained(job).toOpaque())
        // Acquiring: paired with the compare-exchange in `takePending`, before which `lastFromWithin` is written.
        let head = state.loadAcquiring()
        let last = lastFromWithin.loadRelaxed()
        let isPending = head & RunQueue.taken == 0
        return (last == 0 || isPending ? head & ~RunQueue.taken : last) == address
    }

    // MARK: Working

    /// Takes the place of the one at work, if there is none and this thread may.
    package final func tryEnterInline() -> Bool {
        guard runsInline, state.compareExchange(RunQueue.idle, RunQueue.taken) else { return false }
        isInline = true
        outerInline = RunQueue.innermostInline
        RunQueue.innermostInline = .passUnretained(self)
        return true
    }

    /// Whether the calling thread is doing inline work of this queue, further up its stack.
    package final var isRunningInline: Bool { runsInline && isInline }

    /// Whether inline work of any queue is under way. Only on the main queue.
    package static var isAnyRunningInline: Bool { innermostInline != nil }

    /// Ends work begun by `tryEnterInline`. What was handed over meanwhile runs later, not inline.
    package final func leaveInline() {
        isInline = false
        RunQueue.innermostInline = outerInline
        // The batch has jobs if `runNextBehindInline` took more than it ran.
        if !batch.isEmpty || !leave() { wake() }
    }

    /// Runs one job that waits behind inline work of some queue, within that work. Only on the main queue.
    ///
    /// For one who keeps the thread waiting for what such a job may bring about.
    /// - Returns: false if none is waiting.
    package static func runNextBehindInline() -> Bool {
        var next = innermostInline
        while let queue = next?.takeUnretainedValue() {
            if queue.runNextBehindOwnInline() { return true }
            next = queue.outerInline
        }
        return false
    }

    private final func runNextBehindOwnInline() -> Bool {
        guard !batch.isEmpty || takePending(), let job = batch.popFirst() else { return false }
        var budget = batchLimit
        if !job.run(&budget) { batch.prepend(job) }
        return true
    }

    /// Runs one batch. Called by what `wake` arranged, by one thread at a time.
    package final func drainBatch() {
        let session = DrainSession.unretained
        session._withUnsafeGuaranteedRef { $0.beginCallbacks() }
        let isLeft = runJobs()
        session._withUnsafeGuaranteedRef { $0.endCallbacks() }
        if isLeft { wake() }
    }

    /// Runs jobs until none is left or the budget is used up. The caller is at work, and stays so.
    ///
    /// - Parameter spares: gets the jobs that ran.
    /// - Returns: whether jobs are left.
    final func runJobs(within budget: inout Int, keepingIn spares: ActionPool) -> Bool {
        let start = budget
        var budgetWhenTaken = budget
        var (paused, pays) = (false, true)
        while budget > 0 {
            guard let job = batch.popFirstRetained() else {
                // In the midst of a stream from another thread, fetching the shared word for a few jobs slows both threads
                // down. A single job never waits, and no other one where that brought little.
                let steps = budgetWhenTaken - budget
                if paused, steps < RunQueue.few { pays = false }
                paused = pays && steps < RunQueue.smallBatch && start - budget > RunQueue.stream
                if paused { pause() }
                budgetWhenTaken = budget
                if takePending() { continue }
                return false
            }
            if !job._withUnsafeGuaranteedRef({ $0.run(&budget) }) {
                batch.prepend(retained: job)
                return true
            }
            spares.recycle(job)
            budget -= 1
        }
        return hasWaitingJobs
    }

    /// Whether others have handed over something that the one at work has not taken yet. Only for the one at work.
    package final var hasPending: Bool { state.loadRelaxed() & RunQueue.taken == 0 }

    /// Ends the work of a caller who is at work and has run all jobs. From then on a hand-over calls `wake`.
    ///
    /// - Returns: false if something was handed over meanwhile: the caller is still at work.
    package final func tryRest() -> Bool { leave() }

    /// The caller, who went to rest, is at work again, whether or not something was handed over meanwhile.
    package final func resume() {
        // Who found the queue idle called `wake`, which brought the caller here.
        _ = state.compareExchange(RunQueue.idle, RunQueue.taken)
    }

    /// Rejects what waits, and what is handed over meanwhile, by a caller who is at work and then no more.
    ///
    /// - Returns: how many pieces of work are lost.
    package final func rejectAll() -> Int {
        var lost = 0
        repeat {
            while let job = batch.popFirst() ?? (takePending() ? batch.popFirst() : nil) {
                if job.wasRejected() { lost += 1 }
            }
        } while !leave()
        return lost
    }

    /// In a process that was just forked, and lacks the one at work: from now on a hand-over calls `wake`. No more than two
    /// atomic stores. What waits is not touched: it is the parent's to run, and may be in the midst of a change.
    package final func abandon() {
        // Relaxed: there is one thread.
        lastFromWithin.storeRelaxed(0)
        state.storeRelaxed(RunQueue.idle)
    }

    /// Rejects what was handed over since `abandon`, for a caller whom that called to `wake`.
    ///
    /// - Returns: how many pieces of work are lost.
    package final func rejectPending() -> Int {
        var lost = 0
        repeat {
            var next = takeStack(before: 0)
            while let job = next?.takeRetainedValue() {
                next = job.nextInQueue
                job.nextInQueue = nil
                if job.wasRejected() { lost += 1 }
            }
        } while !leave()
        return lost
    }

    /// Whether something waits behind the job that is running. Only for that job.
    package final var hasWaitingJobs: Bool {
        !batch.isEmpty || state.loadRelaxed() & RunQueue.taken == 0
    }

    /// Returns whether there is more to do.
    private final func runJobs() -> Bool {
        var budget = batchLimit
        while true {
            guard let job = batch.popFirst() else {
                if takePending() { continue }
                if batchLimit - budget > RunQueue.stream { spinForMore() }
                if leave() { return false }
                continue
            }
            if !job.run(&budget) {
                batch.prepend(job)
                return true
            }
            budget -= 1
            // Not another batch just to find that there is nothing to do: in virtual time it would take a tick.
            if budget <= 0 { return !batch.isEmpty || !leave() }
        }
    }

    /// More steps than this in a batch are a stream, of which more is likely to come soon.
    package static let stream = 64

    /// Fewer steps than this are not worth fetching the shared word for, when more are likely to come.
    private static let smallBatch = 128

    /// Fewer steps than this are not worth waiting for.
    package static let few = 16

    /// Leaves memory that others write alone for about a microsecond, so that more of a stream comes in at once.
    package final func pause() { SpinWait.pause(nanoseconds: 1_100) }

    /// Whether others hand something over within the next microsecond or so. Looks for it now and then only: to look takes
    /// the memory away from the thread that is about to write it.
    package final func waitForPending() -> Bool {
        for _ in 0..<20 {
            if hasPending { return true }
            SpinWait.pause(nanoseconds: 50)
        }
        return false
    }

    /// Waits half a microsecond for more work. Bringing a worker back to life costs ten times that.
    private final func spinForMore() {
        _ = SpinWait.spin(nanoseconds: 600) { state.loadRelaxed() & RunQueue.taken == 0 }
    }

    /// Moves what is pending to the batch. Returns whether there was something.
    ///
    /// - Parameter own: see `takeStack`.
    @discardableResult
    private final func takePending(before own: UInt = 0) -> Bool {
        guard let oldest = takeStack(before: own) else { return false }
        var next: Unmanaged<Job>? = oldest
        while let job = next {
            next = job._withUnsafeGuaranteedRef { $0.nextInQueue }
            batch.append(retained: job)
        }
        return true
    }

    /// Takes what is pending: the oldest job, linked to those behind it.
    ///
    /// - Parameter own: the address of the job that the caller will queue behind it, or 0. Noted at once: were there a moment
    ///   without a note, a hop that looks at both words in this moment could extend a batch that other work is behind.
    private final func takeStack(before own: UInt) -> Unmanaged<Job>? {
        var head = state.loadRelaxed()
        repeat {
            head = state.loadRelaxed()
            if head == RunQueue.idle || head & RunQueue.taken != 0 { return nil }
            if lastFromWithin.loadRelaxed() != own { lastFromWithin.storeRelaxed(own) }
            // Acquiring: paired with the release in `push`.
        } while !state.compareExchange(head, head | RunQueue.taken)
        var oldestFirst: Unmanaged<Job>?
        var next: Unmanaged<Job>? = .fromOpaque(UnsafeRawPointer(bitPattern: head)!)
        while let job = next {
            job._withUnsafeGuaranteedRef { job in
                next = job.nextInQueue
                job.nextInQueue = oldestFirst
            }
            oldestFirst = job
        }
        return oldestFirst
    }

    /// Goes idle if nothing is pending.
    private final func leave() -> Bool {
        let head = state.loadRelaxed()
        return head & RunQueue.taken != 0 && state.compareExchange(head, RunQueue.idle)
    }
}

/// The run queue of one hop on a scheduler that is not serial, or not ours: its own, run by a job of that scheduler.
package final class PrivateRunQueue: RunQueue {
    private let scheduler: any JobScheduler
    private let job = WakeJob()

    /// 1 from `unschedule` on.
    private let isUnscheduled = AtomicWord(0)

    package init(scheduler: any JobScheduler) {
        self.scheduler = scheduler
        super.init(batchLimit: scheduler.batchLimit)
        job.queue = self
    }

    package override func wake() {
        if isUnscheduled.loadRelaxed() != 0 { return }
        scheduler.submit(job)
        // `unschedule` may have come too early to find the job.
        if isUnscheduled.loadRelaxed() != 0 { scheduler.unschedule(job) }
    }

    /// Nobody waits for the work any more: what has not run goes with the queue.
    package func unschedule() {
        isUnscheduled.storeRelaxed(1)
        scheduler.unschedule(job)
    }

    /// Runs batches of the queue, which it does not hold: the hop does for as long as its work is wanted, and a scheduler may
    /// drop or keep a job that was unscheduled.
    private final class WakeJob: SchedulerJob {
        weak var queue: PrivateRunQueue?

        override func run(_ budget: inout Int) -> Bool {
            queue?.drainBatch()
            return true
        }

        override func wasRejected() -> Bool { (queue?.rejectAll() ?? 0) > 0 }
    }
}
