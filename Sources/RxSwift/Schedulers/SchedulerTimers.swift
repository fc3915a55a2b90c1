// SPDX-License-Identifier: Apache-2.0

package import Dispatch
import RxPrimitives

/// The timers of one scheduler: a timing wheel and one alarm, a timer of what the scheduler runs on.
///
/// The alarm is set to the time of the next look at the wheel, which is not after its earliest deadline.
///
/// Arming and unscheduling a job is O(1) and touches the alarm only when a deadline is before the next look. Expiry holds the lock
/// for a bounded number of timers at a time. Deadlines are monotonic (law L9).
///
/// The alarm keeps this object alive, from `init` until it was closed and no job is waiting. (An alarm that
/// holds it weakly would do, but an object that is held weakly anywhere pays for that with every reference that is counted.)
final class SchedulerTimers {
    /// A lock held for a few steps per timer; the alarm is set outside it.
    private let lock = Mutex()
    /// The timing wheel, accessed under the lock.
    private let wheel = TimingWheel(now: MonotonicClock.now())
    /// The time that the alarm is set to, or will be by the thread that is setting it: not after the earliest deadline. It is
    /// 0 while timers expire, at the end of which the next look is known. Accessed under the lock only.
    @exclusivity(unchecked) private var armedDeadline = UInt64.max
    /// True if a thread is setting the alarm; under the lock.
    @exclusivity(unchecked) private var isSetting = false
    private let alarm: any TimerAlarm
    private let fire: (Job) -> Void
    /// Timers out of use, linked and retained, so that arming does not allocate; under the lock.
    @exclusivity(unchecked) private var firstRecycled: Unmanaged<JobTimer>?
    @exclusivity(unchecked) private var recycledCount = 0
    private static let recycledLimit = 64
    /// The number of timers that the lock is held for at a time.
    private static let pieceLimit = 32
    /// The number of pieces of due timers that are passed to `fire` together.
    private static let piecesPerBatch = 16
    /// True if the owner is gone, so that no job will be armed any more; under the lock.
    @exclusivity(unchecked) private var isClosed = false
    /// True if `stop` was called, so that no job is accepted any more; under the lock.
    @exclusivity(unchecked) private var isStopped = false

    /// - Parameters:
    ///   - alarm: the timer that calls `expire`, and has no other owner.
    ///   - fire: called where the alarm calls `expire`, with each job whose time has come, earliest first.
    init(alarm: any TimerAlarm, fire: @escaping (Job) -> Void) {
        self.alarm = alarm
        self.fire = fire
        alarm.activate(for: self)
    }

    /// Tells that no job will be armed any more.
    func close() {
        lock.lock()
        isClosed = true
        let isDone = isDone
        lock.unlock()
        if isDone { alarm.cancel() }
    }

    /// Accepts no job any more, and rejects those that wait. A job that is being delivered just now still comes to `fire`.
    ///
    /// - Returns: the number of jobs that are lost.
    func stop() -> Int {
        lock.lock()
        isStopped = true
        lock.unlock()
        var lost = 0
        let isDone = expire(upTo: .max) { if $0.wasRejected() { lost += 1 } }
        if isDone { alarm.cancel() }
        return lost
    }

    /// Passes a job to `fire` when `delay` has passed. The job is not waiting, and in no queue.
    ///
    /// - Returns: false, having done nothing, after `stop`.
    @discardableResult
    func arm(_ job: Job, after delay: DispatchTimeInterval) -> Bool {
        let now = MonotonicClock.now()
        let deadline = MonotonicClock.deadline(after: delay.nanosecondsClamped, from: now)
        lock.lock()
        if isStopped {
            lock.unlock()
            return false
        }
        let timer = takeRecycled() ?? .passRetained(JobTimer())
        let entry = timer._withUnsafeGuaranteedRef { $0.hold(job, until: deadline) }
        job.timer = entry
        wheel.insert(retained: entry, now: now)
        let setsTimer = isBeforeNextLook(deadline)
        lock.unlock()
        if setsTimer { setAlarm(deadline) }
        return true
    }

    /// Keeps a job that is waiting from coming to `fire`, unless it is being delivered just now.
    func unschedule(_ job: Job) {
        lock.lock()
        guard let entry = job.timer else { return lock.unlock() }
        job.timer = nil
        let timer = JobTimer.of(entry)
        let waiting = timer._withUnsafeGuaranteedRef { $0.release() }
        // A timer that the wheel has returned already is recycled by the thread that delivers its batch.
        let surplus = wheel.take(entry) ? recycle(timer) : nil
        let isDone = isDone
        lock.unlock()
        surplus?.release()
        waiting?.release()
        if isDone { alarm.cancel() }
    }

    /// Delivers the jobs that are due, and sets the alarm for the others. Called by the alarm, at any time, by one thread at a time.
    func expire() {
        let isDone = expire(upTo: MonotonicClock.now(), to: fire)
        if isDone { alarm.cancel() }
    }

    /// Delivers the jobs whose time comes until `now`, and sets the alarm for the others.
    ///
    /// - Returns: true if the alarm can be cancelled.
    private func expire(upTo now: UInt64, to receive: (Job) -> Void) -> Bool {
        while true {
            var due = TimerBatch()
            let isDone = takeDue(upTo: now, into: &due)
            dispatchExpired(&due, to: receive)
            if let isDone { return isDone }
        }
    }

    /// Takes a batch of due timers, and with the last batch sets the alarm.
    ///
    /// - Returns: true if the alarm can be cancelled; nil if there are more batches.
    private func takeDue(upTo now: UInt64, into due: inout TimerBatch) -> Bool? {
        var pieces = 0
        while true {
            lock.lock()
            if wheel.expire(upTo: now, into: &due, atMost: SchedulerTimers.pieceLimit) { break }
            armedDeadline = 0
            lock.unlock()
            pieces += 1
            if pieces >= SchedulerTimers.piecesPerBatch, !due.isUnordered { return nil }
        }
        armedDeadline = .max
        let look = isStopped ? nil : wheel.nextCheck
        let setsTimer = look.map { isBeforeNextLook($0) } ?? false
        let isDone = isDone
        lock.unlock()
        if setsTimer, let look { setAlarm(look) }
        return isDone
    }

    /// Delivers the jobs of a batch, outside the lock.
    private func dispatchExpired(_ batch: inout TimerBatch, to receive: (Job) -> Void) {
        while let entry = batch.popFirst() {
            let timer = JobTimer.of(.passRetained(entry))
            lock.lock()
            let job = timer._withUnsafeGuaranteedRef { $0.release() }?.takeRetainedValue()
            job?.timer = nil
            let surplus = recycle(timer)
            lock.unlock()
            surplus?.release()
            if let job { receive(job) }
        }
    }

    deinit {
        while let timer = takeRecycled() { timer.release() }
    }

    /// Keeps a timer that is in neither wheel nor batch for the next job, with the reference to it; under the lock.
    ///
    /// Returns the timer with its reference if there are many already.
    private func recycle(_ timer: Unmanaged<JobTimer>) -> Unmanaged<JobTimer>? {
        if recycledCount == SchedulerTimers.recycledLimit { return timer }
        recycledCount += 1
        timer._withUnsafeGuaranteedRef { $0.nextRecycled = firstRecycled }
        firstRecycled = timer
        return nil
    }

    /// Takes a timer out of the recycled ones, under the lock.
    private func takeRecycled() -> Unmanaged<JobTimer>? {
        guard let timer = firstRecycled else { return nil }
        recycledCount -= 1
        firstRecycled = timer._withUnsafeGuaranteedRef { $0.nextRecycled }
        return timer
    }

    /// Returns true if the caller has to set the alarm to `time`.
    ///
    /// That is when it is set to a later time, and no other thread is setting it; under the lock.
    @inline(__always)
    private func isBeforeNextLook(_ time: UInt64) -> Bool {
        if time >= armedDeadline { return false }
        armedDeadline = time
        if isSetting { return false }
        isSetting = true
        return true
    }

    /// Sets the alarm until it is set to the time that the others want by now.
    ///
    /// Called outside the lock, by one thread at a time.
    @inline(never)
    private func setAlarm(_ deadline: UInt64) {
        var deadline = deadline
        while true {
            alarm.set(deadline)
            lock.lock()
            // `.max`: it fired meanwhile, and nothing is waiting. 0: it fired, and the thread that expires timers will set it.
            isSetting = armedDeadline != deadline && armedDeadline != .max && armedDeadline != 0
            let again = isSetting
            deadline = armedDeadline
            lock.unlock()
            if !again { return }
        }
    }

    /// True if the alarm can be cancelled; under the lock.
    private var isDone: Bool { isClosed && wheel.count == 0 }
}

/// The timers of a scheduler, made when first needed.
struct SchedulerTimersIfNeeded: ~Copyable {
    /// 0, or the address of the timers, retained.
    private let word = AtomicWord(0)

    /// The timers, if they were needed before. They live as long as this does; no reference is counted.
    var ifMade: Unmanaged<SchedulerTimers>? {
        // Acquiring: paired with the compare-exchange in `timers`.
        let known = word.loadAcquiring()
        return known == 0 ? nil : Self.timers(at: known)
    }

    /// - Parameter make: may be called by several threads at once; the first result counts.
    func timers(_ make: () -> SchedulerTimers) -> Unmanaged<SchedulerTimers> {
        if let ifMade { return ifMade }
        let new = Unmanaged.passRetained(make())
        if word.compareExchange(0, UInt(bitPattern: new.toOpaque())) { return new }
        new.takeUnretainedValue().close()
        new.release()
        return ifMade!
    }

    private static func timers(at address: UInt) -> Unmanaged<SchedulerTimers> {
        .fromOpaque(UnsafeRawPointer(bitPattern: address)!)
    }

    deinit {
        let known = word.loadAcquiring()
        if known != 0 { Self.timers(at: known).takeRetainedValue().close() }
    }
}

/// The place of a job in the wheel.
private final class JobTimer: TimerEntry {
    /// The job, retained from arming until it is delivered or unscheduled; under the lock.
    @exclusivity(unchecked) private var job: Unmanaged<Job>?

    /// The next timer out of use; under the lock.
    @exclusivity(unchecked) var nextRecycled: Unmanaged<JobTimer>?

    init() { super.init(deadline: .max) }

    static func of(_ entry: Unmanaged<TimerEntry>) -> Unmanaged<JobTimer> { .fromOpaque(entry.toOpaque()) }

    /// Takes a job, and returns this timer's own reference as the wheel wants it.
    func hold(_ job: Job, until deadline: UInt64) -> Unmanaged<TimerEntry> {
        self.job = .passRetained(job)
        self.deadline = deadline
        return .passUnretained(self)
    }

    /// Returns the job with the reference to it, and holds neither any more.
    func release() -> Unmanaged<Job>? {
        let held = job
        job = nil
        return held
    }
}

extension DispatchTimeInterval {
    /// Nanoseconds; `never` and what does not fit become the largest value there is, negative spans zero.
    package var nanosecondsClamped: Int64 { max(0, signedNanoseconds) }

    /// Nanoseconds; `never` and what does not fit become the largest value there is, or the least.
    package var signedNanoseconds: Int64 {
        func scaled(_ value: Int, _ unit: Int64) -> Int64 {
            let (product, overflow) = Int64(value).multipliedReportingOverflow(by: unit)
            return overflow ? (value > 0 ? .max : .min) : product
        }
        switch self {
        case .seconds(let value): return scaled(value, 1_000_000_000)
        case .milliseconds(let value): return scaled(value, 1_000_000)
        case .microseconds(let value): return scaled(value, 1_000)
        case .nanoseconds(let value): return scaled(value, 1)
        case .never: return .max
        @unknown default: return .max
        }
    }
}
