import Dispatch
import RxPrimitives

/// The timers of one dispatch scheduler: a timing wheel, and one kernel timer set to its earliest deadline.
///
/// Arming and withdrawing a job is O(1) and touches the kernel only when the earliest deadline moves forward. Deadlines are
/// monotonic (law L9).
///
/// The kernel timer's handler keeps this object alive, from `init` until it was closed and no job is waiting. (A handler that
/// holds it weakly would do, but an object that is held weakly anywhere pays for that with every reference that is counted.)
final class DispatchTimers {
    private let lock = Lock()
    /// Under the lock.
    private let wheel = TimingWheel(now: MonotonicClock.now())
    /// What the kernel timer is set to. Under the lock.
    @exclusivity(unchecked) private var armedDeadline = UInt64.max
    private let kernelTimer: any DispatchSourceTimer
    private let leeway: DispatchTimeInterval
    private let fire: (Job) -> Void
    // Timers out of use, linked, so that arming does not allocate. Few enough to be freed recursively. Under the lock.
    @exclusivity(unchecked) private var firstSpare: JobTimer?
    @exclusivity(unchecked) private var spareCount = 0
    private static let spareLimit = 64
    /// Whether the owner is gone, so that nothing will be armed any more. Under the lock.
    @exclusivity(unchecked) private var isClosed = false

    /// - Parameters:
    ///   - queue: where expired jobs are taken from the wheel.
    ///   - leeway: how much later than its deadline the kernel may fire.
    ///   - fire: called on `queue` with each job whose time has come, earliest first.
    init(queue: DispatchQueue, leeway: DispatchTimeInterval, fire: @escaping (Job) -> Void) {
        self.leeway = leeway
        self.fire = fire
        kernelTimer = DispatchSource.makeTimerSource(flags: [], queue: queue)
        kernelTimer.setEventHandler { self.expire() }
        kernelTimer.activate()
    }

    /// Nothing will be armed any more.
    func close() {
        lock.lock()
        isClosed = true
        let isDone = isDone
        lock.unlock()
        if isDone { kernelTimer.cancel() }
    }

    /// Hands a job to `fire` when `delay` has passed. The job is not waiting, and in no queue.
    func arm(_ job: Job, after delay: DispatchTimeInterval) {
        let now = MonotonicClock.now()
        let deadline = MonotonicClock.deadline(after: delay.nanosecondsClamped, from: now)
        lock.lock()
        let timer = takeSpare() ?? JobTimer()
        job.ticket = timer
        timer.job = .passRetained(job)
        timer.deadline = deadline
        wheel.insert(timer, now: now)
        setKernelTimer()
        lock.unlock()
    }

    /// After this, a job that was waiting does not come to `fire`, unless it is being handed over just now.
    func withdraw(_ job: Job) {
        lock.lock()
        guard let ticket = job.ticket else { return lock.unlock() }
        job.ticket = nil
        let timer = unsafeDowncast(ticket, to: JobTimer.self)
        let waiting = timer.job
        timer.job = nil
        // What the wheel has handed out already is spared by the one who works it off.
        if wheel.remove(timer) { spare(timer) }
        let isDone = isDone
        lock.unlock()
        waiting?.release()
        if isDone { kernelTimer.cancel() }
    }

    /// Runs on the queue when the kernel timer fires.
    private func expire() {
        lock.lock()
        armedDeadline = .max
        var due = wheel.expire(upTo: MonotonicClock.now())
        setKernelTimer()
        let isDone = isDone
        lock.unlock()
        while let entry = due.popFirst() {
            let timer = unsafeDowncast(entry, to: JobTimer.self)
            lock.lock()
            let job = timer.job?.takeRetainedValue()
            timer.job = nil
            job?.ticket = nil
            spare(timer)
            lock.unlock()
            if let job { fire(job) }
        }
        if isDone { kernelTimer.cancel() }
    }

    /// Keeps a timer that is in neither wheel nor batch for the next job, unless there are many. Under the lock.
    private func spare(_ timer: JobTimer) {
        if spareCount == DispatchTimers.spareLimit { return }
        spareCount += 1
        timer.nextSpare = firstSpare
        firstSpare = timer
    }

    /// Under the lock.
    private func takeSpare() -> JobTimer? {
        guard let timer = firstSpare else { return nil }
        spareCount -= 1
        firstSpare = timer.nextSpare
        timer.nextSpare = nil
        return timer
    }

    /// Under the lock.
    private func setKernelTimer() {
        guard let earliest = wheel.earliestDeadline, earliest < armedDeadline else { return }
        armedDeadline = earliest
        kernelTimer.schedule(
            deadline: DispatchTime(uptimeNanoseconds: min(earliest, DispatchTimers.farFuture)), leeway: leeway)
    }

    /// 73 years. Dispatch reads the two highest bits of a time as the number of a clock: a later one would be over already.
    private static let farFuture: UInt64 = 1 << 61

    /// Whether the kernel timer can go. Under the lock.
    private var isDone: Bool { isClosed && wheel.count == 0 }
}

/// The timers of a scheduler, made when first needed.
struct DispatchTimersIfNeeded: ~Copyable {
    /// 0, or the address of the timers, retained.
    private let word = AtomicWord(0)

    /// The timers, if they were needed before.
    var ifMade: DispatchTimers? {
        // Acquiring: paired with the compare-exchange in `timers`.
        let known = word.loadAcquiring()
        return known == 0 ? nil : Self.timers(at: known).takeUnretainedValue()
    }

    /// - Parameter make: may be called by several threads at once; the first result counts.
    func timers(_ make: () -> DispatchTimers) -> DispatchTimers {
        if let ifMade { return ifMade }
        let new = Unmanaged.passRetained(make())
        if word.compareExchange(0, UInt(bitPattern: new.toOpaque())) { return new.takeUnretainedValue() }
        new.takeUnretainedValue().close()
        new.release()
        return ifMade!
    }

    private static func timers(at address: UInt) -> Unmanaged<DispatchTimers> {
        .fromOpaque(UnsafeRawPointer(bitPattern: address)!)
    }

    deinit {
        let known = word.loadAcquiring()
        if known != 0 { Self.timers(at: known).takeRetainedValue().close() }
    }
}

/// A job's place in the wheel.
private final class JobTimer: TimerEntry {
    /// Retained from arming until the job is handed over or withdrawn. Under the lock.
    @exclusivity(unchecked) var job: Unmanaged<Job>?

    /// The next one out of use. Under the lock.
    @exclusivity(unchecked) var nextSpare: JobTimer?

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
