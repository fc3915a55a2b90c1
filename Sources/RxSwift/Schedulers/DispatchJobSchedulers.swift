import Dispatch
import RxPrimitives

/// Runs jobs one at a time, in hand-over order, on a serial dispatch queue: the engine behind the serial dispatch schedulers.
@usableFromInline
final class SerialDispatchJobs: TimedJobScheduler {
    let turns: DispatchTurnQueue
    private let leeway: DispatchTimeInterval
    private let timersIfNeeded = DispatchTimersIfNeeded()

    /// - Parameters:
    ///   - queue: a serial queue.
    ///   - leeway: how much later than due a delayed job may be handed over.
    ///   - runsInlineOnMain: whether work may run right where it is handed over, when on the main queue and nothing else is
    ///     under way.
    init(queue: DispatchQueue, leeway: DispatchTimeInterval, runsInlineOnMain: Bool = false) {
        turns = DispatchTurnQueue(queue: queue, runsInlineOnMain: runsInlineOnMain)
        self.leeway = leeway
    }

    @usableFromInline
    func post(_ job: Job) { turns.post(job) }

    @usableFromInline
    func post(_ job: Job, after delay: DispatchTimeInterval) {
        timers._withUnsafeGuaranteedRef { $0.arm(job, after: delay) }
    }

    @usableFromInline
    func withdraw(_ job: Job) {
        timersIfNeeded.ifMade?._withUnsafeGuaranteedRef { $0.withdraw(job) }
    }

    @usableFromInline
    var turnQueue: TurnQueue? { turns }

    @usableFromInline
    var stepsPerTurn: Int { turns.stepsPerTurn }

    @usableFromInline
    var hasWaitingJobs: Bool { turns.hasWaitingJobs }

    @usableFromInline
    var instant: Int64 { Int64(MonotonicClock.now()) }

    private var timers: Unmanaged<DispatchTimers> {
        timersIfNeeded.timers {
            // The wheel expires on the queue, but hands each job over like anybody else, so that hand-over order holds.
            DispatchTimers(queue: turns.queue, leeway: leeway) { [turns] in turns.post($0) }
        }
    }
}

/// Turns on a serial dispatch queue.
final class DispatchTurnQueue: TurnQueue {
    let queue: DispatchQueue
    private let runsInlineOnMain: Bool

    /// One for all wake-ups, so that they allocate nothing. Each takes over a reference to this object from `wake`.
    private var turn: DispatchWorkItem!

    init(queue: DispatchQueue, runsInlineOnMain: Bool) {
        self.queue = queue
        self.runsInlineOnMain = runsInlineOnMain
        super.init(stepsPerTurn: 512)
        nonisolated(unsafe) let this = Unmanaged.passUnretained(self)
        turn = DispatchWorkItem { this.takeRetainedValue().runTurn() }
    }

    override func wake() {
        _ = Unmanaged.passRetained(self)
        queue.async(execute: turn)
    }

    override var runsInline: Bool { runsInlineOnMain && MainQueue.isCurrent }

    override func nameIfHeldByCaller(mainQueueRuns: Bool) -> String? {
        if isRunningInline || (mainQueueRuns && MainQueue.isMain(queue)) { return nil }
        // A mark of its own for each question: a dispatch queue tells whether it is the current one, or a target of that, only by
        // what was attached to it.
        let mark = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: mark, value: true)
        defer { queue.setSpecific(key: mark, value: nil) }
        return DispatchQueue.getSpecific(key: mark) == true ? queue.label : nil
    }
}

/// Runs jobs, several at the same time, on a concurrent dispatch queue.
@usableFromInline
final class ConcurrentDispatchJobs: TimedJobScheduler {
    private let queue: DispatchQueue
    private let leeway: DispatchTimeInterval
    private let timersIfNeeded = DispatchTimersIfNeeded()

    init(queue: DispatchQueue, leeway: DispatchTimeInterval) {
        self.queue = queue
        self.leeway = leeway
    }

    @usableFromInline
    func post(_ job: Job) {
        queue.async { job.runToItsEnd(on: self) }
    }

    @usableFromInline
    func post(_ job: Job, after delay: DispatchTimeInterval) {
        timers._withUnsafeGuaranteedRef { $0.arm(job, after: delay) }
    }

    @usableFromInline
    func withdraw(_ job: Job) {
        timersIfNeeded.ifMade?._withUnsafeGuaranteedRef { $0.withdraw(job) }
    }

    @usableFromInline
    var turnQueue: TurnQueue? { nil }

    @usableFromInline
    var stepsPerTurn: Int { 512 }

    @usableFromInline
    var hasWaitingJobs: Bool { false }

    @usableFromInline
    var instant: Int64 { Int64(MonotonicClock.now()) }

    private var timers: Unmanaged<DispatchTimers> {
        timersIfNeeded.timers {
            DispatchTimers(queue: queue, leeway: leeway) { [unowned self] in post($0) }
        }
    }
}

extension Job {
    /// Runs one turn of this job, and has it run again if it wants more.
    func runToItsEnd(on scheduler: any JobScheduler) {
        var budget = scheduler.stepsPerTurn
        if !run(&budget) { scheduler.post(self) }
    }
}

extension MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// On Linux two references to the main queue may be two objects.
    static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: key) == true }
}
