// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

// Algorithm: as in DrainLoop, one word both marks the drainer and is the head of a Treiber stack, here of jobs linked through
// themselves. The word keeps the address of the job submitted last even after the stack was taken, so that a hop can tell whether its
// batch is still the last one, and extend it instead of enqueueing another.
// Progress: `submit` and `isLast` are lock-free.
// Threads: any thread may call `submit` and `isLast`; only the drainer calls everything else.

/// The run queue of a serial scheduler: events of all its hops and its scheduled actions, in order of submission (law L4).
///
/// The queue is active from the submission that finds it idle until it is empty again; `wake` schedules that drain. The thread that
/// runs its jobs meanwhile is called the drainer.
@usableFromInline
package class RunQueue {
    /// A `RunQueueState`.
    final let state: AtomicWord

    /// The address of the job that the drainer enqueued last, if it has taken none from the stack since; else 0. Only the drainer
    /// writes it.
    final let lastLocal = AtomicWord(0)

    /// Separates the words above, which every submitting thread uses, from the fields below, which only the drainer writes.
    private let padding = CachePadding()

    /// Jobs taken from the stack, in order, and those that the drainer enqueued itself. Only the drainer accesses it.
    @exclusivity(unchecked) final var localQueue = JobQueue()

    /// The number of steps per batch, after which other work on the underlying queue gets its turn; slow steps end a batch earlier, see
    /// `BatchBudget`.
    package final let batchLimit: Int

    /// - Parameters:
    ///   - batchLimit: the number of steps per batch.
    ///   - entered: true if the queue has a drainer from the start.
    @usableFromInline
    package init(batchLimit: Int, entered: Bool = false) {
        self.batchLimit = batchLimit
        state = AtomicWord((entered ? RunQueueState.entered : .idle).word)
    }

    deinit {
        takePending()
    }

    /// Arranges for `drainBatch` to be called soon.
    ///
    /// Called when a submission finds the queue idle.
    package func wake() { abstractMethod() }

    /// Does the same at the end of a batch that has left jobs, on the thread that ran it.
    package func wakeAgain() { wake() }

    /// Reacts to the cancellation of a hop, whose work is not wanted any more.
    package func unschedule() {}

    /// The name of the underlying queue, if no batch can run there while the calling thread waits.
    ///
    /// Nil also where that is not known, and where the caller can run the jobs that wait behind its own inline work.
    ///
    /// - Parameter mainQueueRuns: true if the caller runs the main queue while it waits.
    package func nameIfHeldByCaller(mainQueueRuns: Bool) -> String? { nil }

    // MARK: Submitting

    /// Submits a job, which is in no queue.
    package func submit(_ job: Job) {
        submitRemote(job)
    }

    package final func submitRemote(_ job: Job) {
        submitRemote(retained: .passRetained(job))
    }

    package final func submitRemote(retained job: Unmanaged<Job>) {
        if push(job) { wake() }
    }

    /// Submits a job from the drainer, without an atomic read-modify-write unless other threads have submitted something meanwhile.
    package final func submitLocal(_ job: Job) {
        submitLocal(retained: .passRetained(job))
    }

    package final func submitLocal(retained job: Unmanaged<Job>) {
        let address = job.word
        if hasPending { takePending(before: address) }
        lastLocal.storeRelaxed(address)
        localQueue.append(retained: job)
    }

    /// Pushes a job on the stack. Returns true if the queue was idle, in which case the caller has to call `wake`.
    private final func push(_ job: Unmanaged<Job>) -> Bool {
        while true {
            let head = current
            job.next = head.newestPending
            // Releasing: paired with the acquire in `takeStack`.
            if replace(head, by: .submitted(job)) { return head.isIdle }
        }
    }

    /// True if `job` was submitted last, and may still be queued or running.
    package final func isLast(_ job: Job) -> Bool {
        let address = Unmanaged.passUnretained(job).word
        // Acquiring: paired with the compare-exchange in `takeStack`, before which `lastLocal` is written.
        let head = RunQueueState(word: state.loadAcquiring())
        let last = lastLocal.loadRelaxed()
        return (last == 0 || !head.isTaken ? head.lastAddress : last) == address
    }

    // MARK: Working

    /// Runs the job that waits in front, for a caller that blocks the drainer's thread while it waits for an effect that the job may have.
    ///
    /// - Returns: false if there is none, or if that job is under way further up the stack.
    package final func runNext() -> Bool {
        guard !localQueue.isEmpty || takePending(), let job = localQueue.popFirst() else { return false }
        let gate = job.gate
        var budget = batchLimit
        if job.run(&budget) {
            gate?.jobEnded()
            return true
        }
        localQueue.prepend(job)
        return budget >= 0
    }

    /// Runs one batch. Called as `wake` arranged it, by one thread at a time.
    package final func drainBatch() {
        let session = DrainSession.unretained
        session._withUnsafeGuaranteedRef { $0.beginCallbacks() }
        let isLeft = runJobs()
        session._withUnsafeGuaranteedRef { $0.endCallbacks() }
        if isLeft { wakeAgain() }
    }

    /// Runs jobs until none is left or the turn is over. The caller is the drainer, and stays the drainer.
    ///
    /// - Parameter pool: receives the jobs that have run.
    /// - Returns: the number of steps taken, and true if jobs are left.
    final func runJobs(in turn: TurnBudget, keepingIn pool: ActionPool) -> (steps: Int, isLeft: Bool) {
        var slice = turn.nextSlice()
        var (steps, stepsWhenTaken) = (0, 0)
        var (hasSpun, spinPays) = (false, true)
        while slice > 0 {
            guard let job = localQueue.popFirstRetained() else {
                // In the midst of a stream from another thread, fetching the shared word for a few jobs slows both threads down. A
                // single job never waits, and other jobs wait no more once a wait has brought few steps.
                let gain = steps - stepsWhenTaken
                if hasSpun, gain < RunQueue.minGain { spinPays = false }
                hasSpun = spinPays && gain < RunQueue.smallBatch && steps > RunQueue.streamThreshold
                if hasSpun { spinBriefly() }
                stepsWhenTaken = steps
                if takePending() { continue }
                return (steps, false)
            }
            steps += slice
            let isDone = job._withUnsafeGuaranteedRef { $0.run(&slice) }
            if isDone {
                pool.recycle(job)
                slice -= 1
            } else {
                localQueue.prepend(retained: job)
                // It ended before the budget did.
                if slice > 0 { return (steps - slice, true) }
            }
            steps -= slice
            if slice <= 0 { slice = turn.nextSlice() }
        }
        return (steps, hasWaitingJobs)
    }

    /// True if other threads have submitted jobs that the drainer has not taken yet. Only the drainer may read it.
    package final var hasPending: Bool { !current.isTaken }

    /// Makes the queue idle for a drainer that has run all jobs. From then on a submission calls `wake`.
    ///
    /// - Returns: false if a job was submitted meanwhile: the caller is still the drainer.
    package func tryGoIdle() -> Bool { leave() }

    /// Activates the queue for work that the caller has just submitted to a second lane.
    ///
    /// The drainer looks at that lane before each batch, and again after it has gone idle.
    /// - Returns: true if the queue was idle: the caller has to call `wake`.
    final func activate() -> Bool {
        // A read-modify-write of the word by which the drainer goes idle: if it comes before, the drainer's compare-exchange acquires what
        // the caller has done.
        RunQueueState(word: state.fetchAdd(0)).isIdle && replace(.idle, by: .entered)
    }

    /// Makes the caller, which went idle, the drainer again, whether or not a job was submitted meanwhile.
    package final func resume() {
        // A submitter that found the queue idle called `wake`, which brought the caller here.
        _ = replace(.idle, by: .entered)
    }

    /// Rejects the waiting jobs and those submitted meanwhile. The caller is the drainer, and stops being it when this returns.
    ///
    /// - Returns: the number of pieces of work that are lost.
    package func rejectAll() -> Int {
        var lost = 0
        while true {
            let (count, isIdle) = reject(atMost: .max)
            lost += count
            if isIdle { return lost }
        }
    }

    /// Rejects the jobs submitted since `abandon`, for a caller whose `wake` such a submission called.
    ///
    /// - Returns: the number of pieces of work that are lost.
    package func rejectPending() -> Int {
        var lost = 0
        repeat {
            var next = takeStack(before: 0)?.oldest
            while let job = next?.takeRetainedValue() {
                next = job.nextInQueue
                job.nextInQueue = nil
                if job.wasRejected() { lost += 1 }
            }
        } while !leave()
        return lost
    }

    /// True if other jobs wait for the running one. Only the running job may read it.
    package final var hasWaitingJobs: Bool { !localQueue.isEmpty || hasPending }

    /// Runs jobs until none is left or the batch is over. Returns true if jobs are left.
    private final func runJobs() -> Bool {
        var batch = BatchBudget(limit: batchLimit)
        var budget = batch.firstSlice()
        while true {
            guard let job = localQueue.popFirst() else {
                if takePending() { continue }
                if batch.given - budget > RunQueue.streamThreshold { spinForMore() }
                if leave() { return false }
                continue
            }
            let gate = job.gate
            if !job.run(&budget) {
                localQueue.prepend(job)
                if budget == 0, batch.addSlice(to: &budget) { continue }
                return true
            }
            gate?.jobEnded()
            budget -= 1
            if budget > 0 || batch.addSlice(to: &budget) { continue }
            // A further batch would be wasted just to find the queue empty: in virtual time it would take a tick.
            return !localQueue.isEmpty || !leave()
        }
    }

    /// A batch of more steps than this is part of a stream, of which more is likely to come soon.
    package static let streamThreshold = 64

    /// Fewer steps than this are not worth fetching the shared word for, when more are likely to come.
    private static let smallBatch = 128

    /// Fewer steps than this are not worth waiting for.
    package static let minGain = 16

    /// Spins for about a microsecond without touching memory that other threads write, so that more of a stream arrives at once.
    package final func spinBriefly() { SpinWait.spin(nanoseconds: 1_100) }

    /// Waits up to a microsecond or so for other threads to submit something, and returns true if they do.
    ///
    /// Looks for it only now and then: each look takes the memory away from the thread that is about to write it.
    package final func waitForPending() -> Bool {
        for _ in 0..<20 {
            if hasPending { return true }
            SpinWait.spin(nanoseconds: 50)
        }
        return false
    }

    /// Waits 600 ns for more work. Waking a thread again costs ten times that.
    private final func spinForMore() {
        _ = SpinWait.spin(nanoseconds: 600) { hasPending }
    }

    /// Moves the pending jobs to the local queue. Returns true if there were any.
    ///
    /// - Parameter own: the same as for `takeStack`.
    @discardableResult
    final func takePending(before own: UInt = 0) -> Bool {
        guard let (oldest, newest) = takeStack(before: own) else { return false }
        localQueue.append(from: oldest, to: newest)
        return true
    }

    /// Takes the pending jobs, and returns the oldest, linked to the later ones, and the newest.
    ///
    /// - Parameter own: the address of the job that the caller will enqueue after them, or 0. It is stored before the stack is
    ///   taken: otherwise a hop that looks at both words in between could extend a batch that other work follows.
    final func takeStack(before own: UInt) -> (oldest: Unmanaged<Job>, newest: Unmanaged<Job>)? {
        while true {
            let head = current
            guard let newest = head.newestPending else { return nil }
            if lastLocal.loadRelaxed() != own { lastLocal.storeRelaxed(own) }
            // Acquiring: paired with the release in `push`.
            if replace(head, by: head.afterTaking) { return (JobQueue.oldestFirst(from: newest), newest) }
        }
    }

    /// Makes the queue idle if no job is pending. Returns true if it did.
    final func leave() -> Bool {
        let head = current
        return head.isTaken && replace(head, by: .idle)
    }

    // MARK: The word

    @inline(__always)
    private final var current: RunQueueState { RunQueueState(word: state.loadRelaxed()) }

    /// Acquires and releases.
    @inline(__always)
    private final func replace(_ expected: RunQueueState, by desired: RunQueueState) -> Bool {
        state.compareExchange(expected.word, desired.word)
    }
}

/// The word of a run queue: whether a thread drains the queue, and the job submitted last.
///
/// That job stays in the word when the drainer has taken it, so that a hop can tell whether its batch is still the last one.
struct RunQueueState: Equatable {
    let word: UInt

    /// The bit for a job that the drainer has taken.
    private static let taken: UInt = 1

    init(word: UInt) { self.word = word }

    /// No thread drains the queue, and no job waits.
    static let idle = RunQueueState(word: 0)

    /// A drainer has entered the idle queue, and no job was submitted since.
    static let entered = RunQueueState(word: taken)

    /// `job` was submitted last, and waits on the stack.
    @inline(__always)
    static func submitted(_ job: Unmanaged<Job>) -> RunQueueState {
        RunQueueState(word: job.word)
    }

    @inline(__always)
    var isIdle: Bool { self == .idle }

    /// True if the drainer has taken all jobs from the stack. False if the queue is idle.
    @inline(__always)
    var isTaken: Bool { word & RunQueueState.taken != 0 }

    /// The address of the job submitted last; 0 if there is none.
    @inline(__always)
    var lastAddress: UInt { word & ~RunQueueState.taken }

    /// The top of the stack: the job submitted last, if it waits.
    @inline(__always)
    var newestPending: Unmanaged<Job>? { isTaken ? nil : Unmanaged(word: word) }

    /// The state after this one when the drainer takes the stack.
    @inline(__always)
    var afterTaking: RunQueueState { RunQueueState(word: word | RunQueueState.taken) }
}
