public import RxPrimitives
import RxSwift

/// The timers of one loop: a timing wheel, and the due timers that wait for their turn.
///
/// Used only on the loop thread, except for `send`. Due timers enter the loop's queue like all other submitted work, so that the
/// order of submission holds.
final class LoopTimers {
    private let wheel = TimingWheel(now: MonotonicClock.now())
    @exclusivity(unchecked) private var pool: TimerPool
    private let queue: LoopRunQueue

    /// The due timers, which are in the queue as `job`.
    @exclusivity(unchecked) private var due = TimerBatch()
    @exclusivity(unchecked) private var isQueued = false
    /// Retains this object until the end.
    private lazy var job: WorkJob? = WorkJob { [self] budget, isRejected in !isRejected && run(&budget) }

    /// Messages about timers, apart from those about other things, which may keep the loop longer from touching its timers.
    private let messages: SubmissionOrder

    /// The number of jobs that wait for their time. Changed by the loop thread.
    private let waitingJobs = AtomicWord(0)

    /// - Parameters:
    ///   - queue: the loop's queue.
    ///   - idleTimeout: see `TimerPool`.
    init(queue: LoopRunQueue, idleTimeout: UInt64) {
        self.queue = queue
        pool = TimerPool(idleTimeout: idleTimeout)
        messages = SubmissionOrder(to: queue)
    }

    var isEmpty: Bool { wheel.count == 0 && !isQueued && messages.isIdle }

    /// The time of the next look at the timers: not later than the next timer that is not in the queue is due.
    var nextCheck: UInt64? { wheel.nextCheck }

    /// Uses an idle moment for work on the timers that would otherwise come later. Returns whether more of it is left.
    func prepare() -> Bool { wheel.prepare(atMost: 64) || pool.trim() }

    /// The time from which unused timers may be released. Called only when the loop is about to sleep.
    var nextTrim: UInt64? { pool.nextTrim() }

    /// The number of timers that are expired or moved before other work has its turn.
    private static let pieceLimit = 1_024

    /// Queues the timers that are due. Returns when to look again.
    func expire() -> UInt64? {
        // One batch at a time: timers that become due later come behind it anyway.
        guard let look = wheel.nextCheck, !isQueued else { return wheel.nextCheck }
        let now = MonotonicClock.now()
        if look > now { return look }
        // Expires one piece, as a slot may hold any number of timers. The rest is due at the next look.
        while !wheel.expire(upTo: now, into: &due, atMost: LoopTimers.pieceLimit), due.isUnordered {}
        if due.isEmpty { return wheel.nextCheck }
        isQueued = true
        queue.submitLocal(job!)
        return look
    }

    private func run(_ budget: inout Int) -> Bool {
        while let entry = due.popFirst() {
            unsafeDowncast(entry, to: LoopTimer.self).fire()
            if type(of: entry) == ActionTimer.self {
                pool.keep(.passRetained(unsafeDowncast(entry, to: ActionTimer.self)))
            }
            budget -= 1
            if budget <= 0, !due.isEmpty { return false }
        }
        isQueued = false
        return true
    }

    /// Drops all timers for ever. Returns how many of them were still wanted.
    func removeAll() -> Int {
        job = nil
        return drop(&due) + drop(wheel.expire(upTo: .max))
    }

    private func drop(_ batch: inout TimerBatch) -> Int {
        var count = 0
        while let entry = batch.popFirst() {
            if unsafeDowncast(entry, to: LoopTimer.self).drop() { count += 1 }
        }
        return count
    }

    private func drop(_ batch: consuming TimerBatch) -> Int {
        var batch = batch
        return drop(&batch)
    }

    // MARK: From any thread

    /// True if the caller may touch the timers at once: on the loop thread, when all messages sent before are handled.
    var isDirect: Bool { queue.isOnLoop && messages.isIdle && !queue.isClosed }

    /// Indicates whether a job that the caller knows of may be waiting.
    // The thread that unschedules a job first marks the job, and then looks here; the thread that submits it first counts it
    // here, and then looks at the mark. One of them has to see the other, so both read-modify-write: paired with the `fetchAdd`
    // in `SubmissionOrder.submit` and in `arm`. The two words are read in the order in which a message moves from one to the
    // other.
    var mayHoldJobs: Bool { !messages.isIdleInOneOrder || waitingJobs.fetchAdd(0) != 0 }

    /// Submits a message about timers, which the loop handles after those sent before.
    func send(_ message: @escaping () -> Void, rejected: @escaping () -> Bool) {
        messages.submit(message, rejected: rejected)
    }

    // MARK: Timers

    /// Arms a timer, and retains it until it fires or is removed. `now` is a recent reading of the clock.
    func insert(_ timer: LoopTimer, now: UInt64) { wheel.insert(timer, now: now) }

    /// A timer for an action, not armed.
    func makeTimer(_ action: consuming UserAction) -> ActionTimer { pool.take(action) }

    /// Removes a timer; does nothing if it is not armed.
    func remove(_ timer: LoopTimer) { wheel.remove(timer) }

    /// Removes a timer that will not fire from the wheel of its loop, soon. From any thread.
    static func removeFromItsLoop(_ timer: ActionTimer) {
        let tag = timer.ownerTag
        let isDone = LoopRegistry.current?._withUnsafeGuaranteedRef { current in
            if current.tag != tag { return false }
            current.timers.removeSoon(timer)
            return true
        }
        if isDone == true { return }
        guard let loop = LoopRegistry.loop(tag) else { return }
        // The message may have to wake the loop, to which its queue has no counted reference.
        withExtendedLifetime(loop) { loop.timers.removeSoon(timer) }
    }

    private func removeSoon(_ timer: ActionTimer) {
        if isDirect { removeAndKeep(timer) } else { sendRemoval(timer) }
    }

    /// Submits a removal. A method of its own, so that `removeSoon` needs no room for closures.
    @inline(never)
    private func sendRemoval(_ timer: ActionTimer) {
        send({ self.removeAndKeep(timer) }, rejected: { false })
    }

    private func removeAndKeep(_ timer: ActionTimer) {
        let reference = Unmanaged.passUnretained(timer)
        // The wheel's reference passes to the pool.
        if wheel.take(.fromOpaque(reference.toOpaque())) { pool.keep(reference) }
    }

    func arm(_ job: Job, until deadline: UInt64, now: UInt64) {
        let timer = JobTimer(job, of: self, until: deadline)
        job.timer = .passUnretained(timer)
        _ = waitingJobs.fetchAdd(1)
        wheel.insert(timer, now: now)
    }

    func disarm(_ job: Job) {
        guard let entry = job.timer else { return }
        let timer = entry._withUnsafeGuaranteedRef { unsafeDowncast($0, to: JobTimer.self) }
        // Released when this returns, as its deinit may be user code.
        let disarmed = timer.take()
        wheel.remove(timer)
        withExtendedLifetime(disarmed) {}
    }

    fileprivate func forget(_ job: Job) {
        job.timer = nil
        _ = waitingJobs.fetchAdd(0 &- 1)
    }

    fileprivate func run(_ job: Job) {
        var budget = queue.batchLimit
        if !job.run(&budget) { queue.submitLocal(job) }
    }
}

/// A timer of a loop.
@usableFromInline
class LoopTimer: TimerEntry {
    /// Acts when the deadline has passed. Called on the loop thread.
    @usableFromInline
    func fire() { fatalError("swift-rx: a subclass has to implement this method") }

    /// Drops the timer when the loop ends before the deadline. Called on the loop thread. Returns whether the timer was still
    /// wanted.
    @usableFromInline
    func drop() -> Bool { fatalError("swift-rx: a subclass has to implement this method") }

    @inlinable
    init() { super.init() }
}

/// The entry of a job in the wheel. Used only on the loop thread.
private final class JobTimer: LoopTimer {
    /// Nil once the job was run or unscheduled.
    @exclusivity(unchecked) private var job: Job?
    private unowned(unsafe) let timers: LoopTimers

    init(_ job: Job, of timers: LoopTimers, until deadline: UInt64) {
        self.job = job
        self.timers = timers
        super.init()
        self.deadline = deadline
    }

    func take() -> Job? {
        guard let taken = job else { return nil }
        job = nil
        timers.forget(taken)
        return taken
    }

    override func fire() {
        if let job = take() { timers.run(job) }
    }

    override func drop() -> Bool { take()?.wasRejected() ?? false }
}
