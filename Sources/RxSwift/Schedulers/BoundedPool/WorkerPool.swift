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
    private let state = AtomicWord(0)
    private let endPadding = CachePadding()

    /// The injectors, one for each level.
    private let injectors: UnsafeMutablePointer<JobInjector>
    /// The workers by number: 0, or the address of the worker, retained. Each is written once, by the thread that starts the worker.
    private let workers: UnsafeMutablePointer<AtomicWord>
    /// A semaphore, signalled once for each sleeping worker that was counted as searching.
    private let wakeUps = DispatchSemaphore(value: 0)
    /// A group that is left when the pool was shut down and its last worker ended.
    private let end = DispatchGroup()

    /// The time, in nanoseconds, that a worker without work looks at the state before it sleeps: less than waking it takes.
    private static let searchTime = 1_100
    /// The time that it does so before it takes the single job that another worker has submitted to itself.
    private static let sparingTime = 300
    /// The number of looks for work of which one is not by priority, but begins at each level in turn.
    private static let turnPeriod: UInt = 32
    private static let batchLimit = 512

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
                // Relaxed: this worker ends only after it has looked into its own deques once more. A job that submits itself
                // again while it runs was accepted before: it is a hop that has more events than fit into a batch.
                let isShutdown = PoolState(word: state.loadRelaxed()).isShutdown
                if isShutdown, worker.running != UnsafeRawPointer(retained.toOpaque()) { return false }
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
    private func transition<Result>(_ body: (inout PoolState) -> Result) -> Result {
        while true {
            let known = PoolState(word: state.loadSequentially())
            var new = known
            let result = body(&new)
            if new == known || state.compareExchangeSequentially(known.word, new.word) { return result }
        }
    }

    /// Makes a transition, and acts on its decision.
    @inline(__always)
    private func change(_ body: (inout PoolState) -> PoolState.WakeDecision) {
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

    private func worker(_ number: Int) -> Unmanaged<PoolWorker>? {
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
        var budget = WorkerPool.batchLimit
        worker.running = UnsafeRawPointer(job.toOpaque())
        let isDone = job._withUnsafeGuaranteedRef { $0.run(&budget) }
        worker.running = nil
        if isDone { return job.release() }
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
        if let own = takesNewestOwn ? worker.deques[level].pop() : worker.deques[level].steal() {
            return Unmanaged(word: own)
        }
        switch injectors[level].take() {
        case .job(let job): return job
        case .busy: worker.sawRefill = true
        case .none: break
        }
        return steal(worker, level)
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

    // MARK: Without work

    /// Ends a successful search: if it was the last one, and there is more work, another worker is to search.
    private func endSearch(_ worker: PoolWorker) {
        worker.isSearching = false
        let isLast = transition { state -> Bool in
            state.endSearch()
            return state.searching == 0
        }
        // Sequentially consistent: work whose submitter saw this search under way shows here.
        if isLast, hasWork { change { $0.wakeOne(limit: limit) } }
    }

    /// True if work is waiting, and there is a worker to wake or to start for it.
    private var hasWork: Bool {
        let known = PoolState(word: state.loadSequentially())
        if known.sleeping == 0, known.workerCount == limit { return false }
        for level in 0..<PoolState.levelCount where known.levels & 1 << UInt(level) != 0 {
            if injectors[level].hasWork { return true }
            for number in 0..<known.workerCount {
                if worker(number)?._withUnsafeGuaranteedRef({ !$0.deques[level].isEmpty }) == true { return true }
            }
        }
        return false
    }

    /// Waits for work: first awake, then asleep. Returns false when this worker is to end.
    private func idle(_ worker: PoolWorker) -> Bool {
        if worker.sawRefill {
            sched_yield()
            return true
        }
        if worker.sawSingle {
            beginSearch(worker)
            _ = SpinWait.spin(nanoseconds: WorkerPool.sparingTime) { PoolState(word: state.loadRelaxed()).isShutdown }
            return true
        }
        if worker.sawShutdown { return false }
        beginSearch(worker)
        if worker.isSearching {
            let foundWork = SpinWait.spin(nanoseconds: WorkerPool.searchTime) {
                let known = PoolState(word: state.loadRelaxed())
                return known.hasWork || known.isShutdown
            }
            if foundWork { return true }
        }
        let wasSearching = worker.isSearching
        guard transition({ $0.sleep(wasSearching: wasSearching) }) else { return true }
        wakeUps.wait()
        worker.isSearching = true
        return true
    }

    private func beginSearch(_ worker: PoolWorker) {
        if !worker.isSearching { worker.isSearching = transition { $0.beginSearch(limit: limit) } }
    }
}
