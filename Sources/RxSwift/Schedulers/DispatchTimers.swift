import Dispatch
import RxPrimitives

/// The timers of one dispatch scheduler: a timing wheel, and one kernel timer set to its earliest deadline.
///
/// Arming and withdrawing a job is O(1) and touches the kernel only when the earliest deadline moves forward. Deadlines are
/// monotonic (law L9). Keeps itself alive while a job is waiting.
final class DispatchTimers {
    private let lock = Lock()
    /// Under the lock.
    private let wheel = TimingWheel(now: MonotonicClock.now())
    /// What the kernel timer is set to. Under the lock.
    private var armedDeadline = UInt64.max
    private let kernelTimer: any DispatchSourceTimer
    private let leeway: DispatchTimeInterval
    private let fire: (Job) -> Void
    /// This object, retained while a job is waiting. Under the lock.
    private var selfWhileWaiting: DispatchTimers?

    /// - Parameters:
    ///   - queue: where expired jobs are taken from the wheel.
    ///   - leeway: how much later than its deadline the kernel may fire.
    ///   - fire: called on `queue` with each job whose time has come, earliest first.
    init(queue: DispatchQueue, leeway: DispatchTimeInterval, fire: @escaping (Job) -> Void) {
        self.leeway = leeway
        self.fire = fire
        kernelTimer = DispatchSource.makeTimerSource(flags: [], queue: queue)
        kernelTimer.setEventHandler { [weak self] in self?.expire() }
        kernelTimer.activate()
    }

    deinit {
        kernelTimer.cancel()
    }

    /// Hands a job to `fire` when `delay` has passed. The job is not waiting, and in no queue.
    func arm(_ job: Job, after delay: DispatchTimeInterval) {
        let now = MonotonicClock.now()
        let deadline = MonotonicClock.deadline(after: delay.nanosecondsClamped, from: now)
        lock.lock()
        let timer: JobTimer
        if let known = job.ticket as? JobTimer, known.job == nil {
            timer = known
        } else {
            // None yet, or it was withdrawn and is still on its way out of the wheel.
            timer = JobTimer()
            job.ticket = timer
        }
        timer.job = .passRetained(job)
        timer.deadline = deadline
        wheel.insert(timer, now: now)
        if selfWhileWaiting == nil { selfWhileWaiting = self }
        setKernelTimer()
        lock.unlock()
    }

    /// After this, a job that was waiting does not come to `fire`, unless it is being handed over just now.
    func withdraw(_ job: Job) {
        lock.lock()
        guard let timer = job.ticket as? JobTimer else { return lock.unlock() }
        _ = wheel.remove(timer)
        let waiting = timer.job
        timer.job = nil
        let keptAlive = selfIfIdle()
        lock.unlock()
        waiting?.release()
        withExtendedLifetime(keptAlive) {}
    }

    /// Runs on the queue when the kernel timer fires.
    private func expire() {
        lock.lock()
        armedDeadline = .max
        var due = wheel.expire(upTo: MonotonicClock.now())
        setKernelTimer()
        let keptAlive = selfIfIdle()
        lock.unlock()
        while let entry = due.popFirst() {
            let timer = unsafeDowncast(entry, to: JobTimer.self)
            lock.lock()
            let job = timer.job
            timer.job = nil
            lock.unlock()
            if let job = job?.takeRetainedValue() { fire(job) }
        }
        withExtendedLifetime(keptAlive) {}
    }

    /// Under the lock.
    private func setKernelTimer() {
        guard let earliest = wheel.earliestDeadline, earliest < armedDeadline else { return }
        armedDeadline = earliest
        kernelTimer.schedule(deadline: DispatchTime(uptimeNanoseconds: earliest), leeway: leeway)
    }

    /// The reference that kept this object alive, when no job waits any more. Under the lock; to be released outside.
    private func selfIfIdle() -> DispatchTimers? {
        guard wheel.count == 0 else { return nil }
        defer { selfWhileWaiting = nil }
        return selfWhileWaiting
    }
}

/// A job's place in the wheel.
private final class JobTimer: TimerEntry {
    /// Retained from arming until the job is handed over or withdrawn. Under the lock.
    var job: Unmanaged<Job>?

    init() { super.init(deadline: .max) }
}

extension DispatchTimeInterval {
    /// Nanoseconds; `never` and what does not fit become the largest value there is, negative spans zero.
    var nanosecondsClamped: Int64 {
        func scaled(_ value: Int, _ unit: Int64) -> Int64 {
            let (product, overflow) = Int64(max(value, 0)).multipliedReportingOverflow(by: unit)
            return overflow ? .max : product
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
