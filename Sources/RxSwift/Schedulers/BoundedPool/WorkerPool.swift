// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// Algorithm: work stealing (R. D. Blumofe and C. E. Leiserson, "Scheduling Multithreaded Computations by Work Stealing", 1994).
// Each level has a queue per worker, and an injector for the other threads. The word `PoolState` tells which workers sleep, which
// search, and at which levels there may be work. At most one sleeper is woken at a time, by a thread that finds no worker searching;
// a worker whose search succeeds wakes the next one if there is more (as the scheduler of Go does: D. Vyukov, "Scalable Go
// Scheduler Design", 2012).
//
// Why no work waits while a worker sleeps: a submitter publishes work and then reads the word; a worker clears a level's bit and then
// looks at that level once more, and sleeps only by a compare-exchange of a word without such a bit. All of these are sequentially
// consistent, so either the word shows the submitter a cleared bit, or the work shows. The same holds for a search that ends.
//
// Progress: submitting is lock-free, but for the start of a thread. Threads: any thread may call `submit`, `suspend`, `resume`,
// `shutdown` and `waitForEnd`; `work` and the methods that it calls run on the worker's thread.

/// The threads of a `BoundedPoolScheduler`, and the work they share.
///
/// The threads keep the pool alive; when it was shut down they run the work that is left and end.
final class WorkerPool: @unchecked Sendable {
    let name: String
    let limit: Int
    private let takesNewestOwn: Bool

    private let padding = CachePadding()
    /// The word of a `PoolState`, shared by all threads.
    let state = AtomicWord(0)
    private let endPadding = CachePadding()

    /// The injectors, one for each level.
    let injectors: UnsafeMutablePointer<JobInjector>
    /// The workers by number: 0, or the address of the worker, retained. Each is written once, by the thread that starts the worker.
    private let workers: UnsafeMutablePointer<AtomicWord>
    /// A semaphore, signalled once for each sleeping worker that was counted as searching.
    let wakeUps = DispatchSemaphore(value: 0)
    /// A group that is left when the pool was shut down and its last worker ended.
    private let end = DispatchGroup()

    /// The number of looks for work of which one is not by priority, but begins at each level in turn.
    private static let turnPeriod: UInt = 32
    /// The number of looks for work of which one begins with work from outside the pool.
    private static let outsidePeriod: UInt = 16

    /// The time when a start may be tried again while workers are alive, in monotonic nanoseconds.
    private let nextStart = AtomicWord(0)
    /// 1 if the last start failed, and that was reported.
    private let hasShortage = AtomicWord(0)

    init(name: String, limit: Int, takesNewestOwn: Bool) {
        self.name = name
        self.limit = limit
        self.takesNewestOwn = takesNewestOwn
        injectors = .allocate(capacity: PoolState.levelCount)
        for level in 0..<PoolState.levelCount { (injectors + level).initialize(to: JobInjector()) }
        workers = .allocate(capacity: limit)
        for number in 0..<limit { (workers + number).initialize(to: AtomicWord(0)) }
        end.enter()
    }

    deinit {
        injectors.deinitialize(count: PoolState.levelCount)
        injectors.deallocate()
        for number in 0..<limit { worker(number)?.release() }
        workers.deinitialize(count: limit)
        workers.deallocate()
    }

    // MARK: Submitting

    /// Submits a job, or rejects it. The job is in no queue.
    func submit(_ job: Job, level: Int) {
        let retained = Unmanaged.passRetained(job)
        let isAccepted: Bool
        if let worker = currentWorker {
            isAccepted = worker._withUnsafeGuaranteedRef { worker in
                // Relaxed: this worker ends only after it has looked into its own deques once more. A hop that submits itself
                // again while it runs has more events than fit into a batch, which were accepted before; a source has not emitted its next ones.
                let isShutdown = PoolState(word: state.loadRelaxed()).isShutdown
                let goesOn = worker.running == UnsafeRawPointer(retained.toOpaque())
                if isShutdown, !goesOn || !job.holdsEvents { return false }
                if goesOn { worker.hasYielded = true }
                worker.deques[level].push(retained.word)
                return true
            }
        } else {
            isAccepted = injectors[level].push(retained)
        }
        if isAccepted {
            notifyWork(level)
        } else {
            retained.release()
            reject(job)
        }
    }

    /// Disposes of a job that will not run.
    func reject(_ job: Job) {
        if job.wasRejected() { Hooks.workRejectedHandler(name, 1) }
    }

    private func notifyWork(_ level: Int) {
        // Sequentially consistent: comes after the push.
        change { $0.notifyWork(level: level, limit: limit) }
    }

    func suspend() { transition { $0.suspend() } }

    func resume() { change { $0.resume(limit: limit) } }

    var isSuspended: Bool { PoolState(word: state.loadSequentially()).isSuspended }

    /// Shuts the pool down. The work accepted before is run, and then the threads end.
    func shutdown() {
        // The injectors are closed first: from here on nothing comes from outside, so that a worker that finds nothing can end.
        for level in 0..<PoolState.levelCount { injectors[level].close() }
        let result = transition { state in
            let hasWork = state.workerCount == 0 && (0..<PoolState.levelCount).contains { injectors[$0].hasWork }
            return state.shutdown(hasWork: hasWork)
        }
        guard let result else { return }
        for _ in 0..<result.wake { wakeUps.signal() }
        perform(result.decision)
        if result.isEnd { end.leave() }
    }

    /// Waits until all threads have ended; `shutdown` comes first. Returns at once on a thread of the pool.
    func waitForEnd() { if currentWorker == nil { end.wait() } }

    /// The worker of the calling thread, if that thread is one of this pool's.
    private var currentWorker: Unmanaged<PoolWorker>? {
        guard let worker = PoolWorker.current,
            worker._withUnsafeGuaranteedRef({ $0.pool.toOpaque() }) == Unmanaged.passUnretained(self).toOpaque()
        else { return nil }
        return worker
    }

    // MARK: The state

    /// Makes a transition, and returns its result.
    @inline(__always)
    @discardableResult
    func transition<Result>(_ body: (inout PoolState) -> Result) -> Result {
        while true {
            let known = PoolState(word: state.loadSequentially())
            var new = known
            let result = body(&new)
            if new == known || state.compareExchangeSequentially(known.word, new.word) { return result }
        }
    }

    /// Makes a transition, and acts on its decision.
    @inline(__always)
    func change(_ body: (inout PoolState) -> PoolState.WakeDecision) {
        perform(transition(body))
    }

    @inline(__always)
    private func perform(_ decision: PoolState.WakeDecision) {
        switch decision {
        case .none: return
        case .wake: wakeUps.signal()
        case .start(let number): startWorker(number)
        }
    }

    /// Starts a worker. If the system has no thread for it, other workers do the work; the start is tried again when more work is
    /// submitted.
    ///
    /// One start is under way at a time: it is counted as a search, during which no other start is decided.
    @inline(never)
    private func startWorker(_ number: Int) {
        let known = PoolState(word: state.loadSequentially())
        // The existing workers are busy; a start that fails takes much longer than a submission.
        if known.workerCount > 1, MonotonicClock.now() < UInt64(nextStart.loadRelaxed()) { return startFailed() }
        // The worker is kept when its start has failed: others may be looking into its deques.
        if worker(number) == nil {
            let worker = PoolWorker(pool: .passUnretained(self), number: number)
            // Releasing: paired with the acquire in `worker(_:)`.
            _ = workers[number].exchange(UInt(bitPattern: Unmanaged.passRetained(worker).toOpaque()))
        }
        var status: CInt = 0
        // After a shutdown no submission will come that could try again.
        for attempt in 0..<PoolWorker.lastStarts {
            if attempt > 0 { usleep(PoolWorker.lastStartPause) }
            status = worker(number)?._withUnsafeGuaranteedRef { $0.start(name: name) } ?? 0
            if status == 0 {
                if hasShortage.loadRelaxed() != 0 { _ = hasShortage.exchange(0) }
                return
            }
            let known = PoolState(word: state.loadSequentially())
            if !known.isShutdown || known.workerCount > 1 { break }
        }
        nextStart.storeRelaxed(UInt(MonotonicClock.now() &+ PoolWorker.startInterval))
        startFailed()
        if hasShortage.exchange(1) == 0 { Hooks.threadShortageHandler(name, status) }
    }

    private func startFailed() {
        switch transition({ $0.startFailed() }) {
        case .none: return
        case .wake: wakeUps.signal()
        case .end:
            // No thread will ever run the work that is left.
            let count = (0..<PoolState.levelCount).reduce(0) { $0 + injectors[$1].rejectAll() }
            if count > 0 { Hooks.workRejectedHandler(name, count) }
            end.leave()
        }
    }

    func worker(_ number: Int) -> Unmanaged<PoolWorker>? {
        UnsafeRawPointer(bitPattern: workers[number].loadAcquiring()).map { .fromOpaque($0) }
    }

    // MARK: Working

    /// Runs the work loop of a worker's thread.
    func work(as worker: PoolWorker) {
        while true {
            if let job = next(for: worker) {
                if worker.isSearching { endSearch(worker) }
                run(job, worker)
            } else if !idle(worker) {
                break
            }
        }
        let wasSearching = worker.isSearching
        if transition({ $0.end(wasSearching: wasSearching) }) { end.leave() }
    }

    private func run(_ job: Unmanaged<Job>, _ worker: PoolWorker) {
        let level = worker.level
        let (steps, start) = worker.beginBatch()
        var budget = steps
        worker.hasYielded = false
        worker.running = UnsafeRawPointer(job.toOpaque())
        let isDone = job._withUnsafeGuaranteedRef { $0.run(&budget) }
        worker.running = nil
        worker.endBatch(of: steps, isUsedUp: budget <= 0, since: start)
        if isDone { return job.release() }
        worker.hasYielded = true
        worker.deques[level].push(job.word)
        notifyWork(level)
    }

    /// Returns the job that this worker is to run next, with the reference to it. `worker.level` then is the level of that job.
    private func next(for worker: PoolWorker) -> Unmanaged<Job>? {
        worker.sawRefill = false
        worker.sawSingle = false
        worker.skippedBefore = worker.skipped
        worker.sawShutdown = false
        worker.turn &+= 1
        while true {
            let known = PoolState(word: state.loadSequentially())
            if known.isSuspended { return nil }
            worker.sawShutdown = known.isShutdown
            var levels = known.isShutdown ? PoolState.allLevels : known.levels
            if levels == 0 { return nil }
            if worker.turn % WorkerPool.turnPeriod == 0, let job = nextInTurn(worker, levels) { return job }
            while levels != 0 {
                let level = UInt.bitWidth - 1 - levels.leadingZeroBitCount
                levels &= ~(1 << UInt(level))
                if let job = take(worker, level) ?? takeAfterClearing(worker, level) {
                    worker.level = level
                    return job
                }
            }
            if worker.sawRefill || worker.sawSingle || worker.sawShutdown { return nil }
        }
    }

    /// Looks at a level, at each in turn, and there at one of the three places first, at each in turn, for the job that has waited
    /// longest.
    private func nextInTurn(_ worker: PoolWorker, _ levels: UInt) -> Unmanaged<Job>? {
        let count = worker.injectorInterval
        worker.injectorInterval = count &+ 1
        let level = Int(count % UInt(PoolState.levelCount))
        if levels & 1 << UInt(level) == 0 { return nil }
        worker.level = level
        let place = count / UInt(PoolState.levelCount)
        for offset in 0..<3 as Range<UInt> {
            switch (place &+ offset) % 3 {
            case 0: if case .job(let job) = injectors[level].take() { return job }
            case 1: if let word = worker.deques[level].steal() { return Unmanaged(word: word) }
            default: if let job = steal(worker, level) { return job }
            }
        }
        return nil
    }

    /// Looks everywhere for work of a level: the worker's own, work from outside the pool, other workers'.
    @inline(__always)
    private func take(_ worker: PoolWorker, _ level: Int) -> Unmanaged<Job>? {
        if worker.hasYielded || worker.turn % WorkerPool.outsidePeriod == 0 {
            if let job = takeWaiting(worker, level) { return job }
        } else if let own = takesNewestOwn ? worker.deques[level].pop() : worker.deques[level].steal() {
            return Unmanaged(word: own)
        }
        switch injectors[level].take() {
        case .job(let job): return job
        case .busy: worker.sawRefill = true
        case .none: break
        }
        return steal(worker, level)
    }

    /// Takes work that the worker's own jobs would keep waiting: from outside the pool, or else the oldest of its own.
    @inline(never)
    private func takeWaiting(_ worker: PoolWorker, _ level: Int) -> Unmanaged<Job>? {
        if injectors[level].hasWork, case .job(let job) = injectors[level].take() { return job }
        if !worker.hasYielded, takesNewestOwn { return worker.deques[level].pop().flatMap { Unmanaged(word: $0) } }
        return worker.deques[level].steal().flatMap { Unmanaged(word: $0) }
    }

    /// Takes from another worker, beginning with another one each time. A single job is left to its worker until the next look.
    private func steal(_ thief: PoolWorker, _ level: Int) -> Unmanaged<Job>? {
        let count = UInt(PoolState(word: state.loadRelaxed()).workerCount)
        for offset in 0..<count {
            let number = Int((thief.turn &+ offset) % count)
            guard number != thief.number, let victim = worker(number) else { continue }
            let skipped = thief.skippedBefore.number == number && thief.skippedBefore.level == level
            let index = skipped ? thief.skippedBefore.index : nil
            switch victim._withUnsafeGuaranteedRef({ $0.deques[level].steal(sparing: index) }) {
            case .word(let word): return Unmanaged(word: word)
            case .nothing: continue
            case .only(let index):
                if !thief.sawSingle { thief.skipped = (number, level, index) }
                thief.sawSingle = true
            }
        }
        return nil
    }

    /// Notes that a level has no work, and looks once more: a thread that submits work between the two looks sees the cleared bit.
    @inline(never)
    private func takeAfterClearing(_ worker: PoolWorker, _ level: Int) -> Unmanaged<Job>? {
        if worker.sawRefill || worker.sawSingle || worker.sawShutdown { return nil }
        transition { $0.clear(level: level) }
        let job = take(worker, level)
        if job != nil || worker.sawRefill || worker.sawSingle {
            transition { $0.restore(level: level) }
            // Work may have been left to a worker that searched then, and slept when it saw the cleared bit.
            if !worker.isSearching, hasWork { change { $0.wakeOne(limit: limit) } }
        }
        return job
    }
}
