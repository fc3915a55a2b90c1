// SPDX-License-Identifier: Apache-2.0

public import RxPrimitives
import RxSwift

/// The timers of one loop: a timing wheel, and the due timers that wait for their turn.
///
/// Used only on the loop thread, except for `send` and its users. Due timers have a lane of their own, so that they do not wait behind the
/// work submitted to the loop: see `EventLoop`. They fire in the order of their deadlines.
final class LoopTimers {
    private let wheel = TimingWheel(now: MonotonicClock.now())
    @exclusivity(unchecked) private var pool: TimerPool
    private let queue: LoopRunQueue

    /// The due timers.
    @exclusivity(unchecked) private var due = TimerBatch()
    /// The job of a timer that has fired, if the job was not finished with the slice that it was given.
    @exclusivity(unchecked) private var unfinished: Job?

    private let turn = TurnBudget(steps: 512, nanoseconds: EventLoop.turnTime)
    /// The steps that may be taken before the next look at `turn`.
    @exclusivity(unchecked) private var slice = 0

    /// The number of timers that have fired.
    @exclusivity(unchecked) private(set) var firedCount: UInt = 0
    /// The nanoseconds by which a timer was late since `takeLateness`.
    @exclusivity(unchecked) private var lateness: UInt64 = 0
    /// The time at which the due timers were taken from the wheel, by the monotonic clock and in ticks.
    @exclusivity(unchecked) private var (expiryTime, expiryTicks): (UInt64, UInt64) = (0, 0)

    /// The number of jobs that wait for their time, or are on their way to the loop for that. Any thread increments it, before it sends the
    /// job; the loop decrements it.
    private let waitingJobs = AtomicWord(0)

    /// - Parameters:
    ///   - queue: the loop's queue.
    ///   - idleTimeout: see `TimerPool`.
    init(queue: LoopRunQueue, idleTimeout: UInt64) {
        self.queue = queue
        pool = TimerPool(idleTimeout: idleTimeout)
    }

    var isEmpty: Bool { wheel.count == 0 && !hasDue && queue.isExpressIdle }

    /// True if timers, or messages about timers, wait for their next turn.
    var hasDue: Bool { !due.isEmpty || unfinished != nil || !queue.isExpressIdle }

    /// The time of the next look at the timers, if `hasDue` is false: not later than the next timer. Nil if none is armed.
    var nextCheck: UInt64? { wheel.nextCheck }

    /// Uses an idle moment for work on the timers that would otherwise come later. Returns whether more of it is left.
    func prepare() -> Bool { wheel.prepare(atMost: 64) || pool.trim() }

    /// The time from which unused timers may be released. Called only when the loop is about to sleep.
    var nextTrim: UInt64? { pool.nextTrim() }

    /// The number of timers that are expired or moved before other work has its turn.
    private static let pieceLimit = 1_024

    // MARK: The lane

    /// Handles messages and fires due timers, for one turn.
    func run() {
        var now: UInt64 = 0
        if !hasDue {
            guard let look = wheel.nextCheck else { return }
            now = MonotonicClock.now()
            if look > now { return }
        }
        turn.begin()
        slice = turn.nextSlice()
        while let message = queue.popExpress() {
            _ = message.run(&slice)
            if takeStep() { continue }
            // Messages have a turn of their own: other parts of the loop may send more of them, and slower ones, than one turn holds.
            turn.begin()
            slice = turn.nextSlice()
            break
        }
        if let job = unfinished {
            unfinished = nil
            if !run(job) { return }
        }
        // One batch at a time: timers that become due later come after it anyway.
        if due.isEmpty, let look = wheel.nextCheck {
            if now == 0 { now = MonotonicClock.now() }
            // Expires one piece, as a slot may hold any number of timers. The rest is due at the next look.
            if look <= now {
                (expiryTime, expiryTicks) = (now, turn.start)
                while !wheel.expire(upTo: now, into: &due, atMost: LoopTimers.pieceLimit), due.isUnordered {}
            }
        }
        noteLateness()
        while let entry = due.popFirst() {
            firedCount &+= 1
            unsafeDowncast(entry, to: LoopTimer.self).fire()
            if type(of: entry) == ActionTimer.self {
                pool.keep(.passRetained(unsafeDowncast(entry, to: ActionTimer.self)))
            }
            if unfinished != nil || !takeStep() { break }
        }
    }

    /// The number of timers in the wheel.
    var armedCount: Int { wheel.count }

    /// The nanoseconds by which a timer was late since the last call.
    func takeLateness() -> UInt {
        let taken = lateness
        lateness = 0
        return UInt(taken)
    }

    /// Notes how late the first due timer is, without a look at the clock: the turn's start is known in ticks.
    private func noteLateness() {
        guard let deadline = due.firstDeadline() else { return }
        let ticks = Int64(bitPattern: turn.start &- expiryTicks)
        let waited = ticks > 0 ? ProcessorCounter.nanoseconds(ticks: UInt64(ticks)) : 0
        lateness = max(lateness, expiryTime &+ waited &- min(deadline, expiryTime))
    }

    /// Counts a step. Returns false if the turn is over.
    private func takeStep() -> Bool {
        slice -= 1
        if slice <= 0 { slice = turn.nextSlice() }
        return slice > 0
    }

    /// Runs a job whose time has come, slice by slice. Returns false, and keeps the job, if the turn ends first.
    @discardableResult
    private func run(_ job: Job) -> Bool {
        while slice > 0 {
            if job.run(&slice) { return true }
            if slice <= 0 { slice = turn.nextSlice() }
        }
        unfinished = job
        return false
    }

    /// Drops all timers, and accepts no more. Returns the number of dropped timers that were still wanted.
    func removeAll() -> Int {
        let job = unfinished
        unfinished = nil
        let isLost = job?.wasRejected() ?? false
        return drop(&due) + drop(wheel.expire(upTo: .max)) + (isLost ? 1 : 0)
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
    var isDirect: Bool { maySchedule && queue.isExpressIdle }

    /// True if the caller may arm a timer at once of which no message tells: on the loop thread. It would come late behind many messages.
    var maySchedule: Bool { queue.isOnLoop && !queue.isClosed }

    /// Indicates whether a job that the caller knows of may be waiting.
    // The thread that unschedules a job first marks the job, and then looks here; the thread that submits it first counts it
    // here, and then looks at the mark. One of them has to see the other, so both read-modify-write: paired with `willArm`.
    var mayHoldJobs: Bool { waitingJobs.fetchAdd(0) != 0 }

    /// Counts a job that the caller will arm, or send a message to arm.
    func willArm() { _ = waitingJobs.fetchAdd(1) }

    /// Uncounts a job.
    private func forget() { _ = waitingJobs.fetchAdd(0 &- 1) }

    /// Sends a message to this loop. A method of its own, so that its callers need no room for the closure.
    @inline(never)
    func send(_ message: TimerMessage) {
        // The loop, which owns the timers, is alive while its queue runs or rejects jobs. Counting a reference for each message would slow down
        // threads that send millions a second.
        queue.submitExpress(
            WorkJob(holdsEvents: true) { [unowned(unsafe) self] _, isRejected in
                if isRejected { return reject(message) }
                handle(message)
                return true
            })
    }

    /// Handles a message, on the loop thread.
    func handle(_ message: TimerMessage) {
        switch message {
        case .insert(let timer, let now): insert(timer, now: now)
        case .remove(let timer): removeAndKeep(timer)
        case .arm(let job, let deadline, let now): arm(job, until: deadline, now: now)
        case .disarm(let job): disarm(job)
        }
    }

    /// Handles a message that came too late. Returns true if work is lost.
    func reject(_ message: TimerMessage) -> Bool {
        switch message {
        case .insert(let timer, _): return timer.drop()
        case .arm(let job, _, _):
            forget()
            return job.wasRejected()
        case .remove, .disarm: return false
        }
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
        if isDirect { removeAndKeep(timer) } else { send(.remove(timer)) }
    }

    private func removeAndKeep(_ timer: ActionTimer) {
        let reference = Unmanaged.passUnretained(timer)
        // The wheel's reference passes to the pool.
        if wheel.take(.fromOpaque(reference.toOpaque())) { pool.keep(reference) }
    }

    /// Arms a timer for a job that was counted by `willArm`.
    func arm(_ job: Job, until deadline: UInt64, now: UInt64) {
        let timer = JobTimer(job, of: self, until: deadline)
        job.timer = .passUnretained(timer)
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
        forget()
    }

    fileprivate func fire(_ job: Job) { run(job) }
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
        if let job = take() { timers.fire(job) }
    }

    override func drop() -> Bool { take()?.wasRejected() ?? false }
}
