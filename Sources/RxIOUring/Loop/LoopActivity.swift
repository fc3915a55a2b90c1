// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The figures of one loop: words that the loop thread writes once per turn, and other threads read at any time.
///
/// A turn begins when the turn before ends, or when the loop wakes up, and ends when the loop goes to sleep or begins the next one. Times are
/// ticks of `ProcessorCounter`. The words are relaxed, unless a comment says otherwise: a reader may see those of two turns.
final class LoopActivity: Sendable {
    private let paddingBefore = CachePadding()

    /// The start of the current turn; 0 while the loop sleeps.
    private let turnStart = AtomicWord(0)
    private let turns = AtomicWord(0)
    private let steps = AtomicWord(0)
    private let completions = AtomicWord(0)
    private let firedTimers = AtomicWord(0)
    private let armedTimers = AtomicWord(0)
    private let operations = AtomicWord(0)
    private let receiveBuffers = AtomicWord(0)
    // Other threads may set these two to 0.
    private let longestTurn = AtomicWord(0)
    /// In nanoseconds.
    private let greatestLateness = AtomicWord(0)

    /// The number of turns that took longer than the limit; written last, with a release, after the next two.
    private let stalls = AtomicWord(0)
    private let lastStallStart = AtomicWord(0)
    private let lastStallTicks = AtomicWord(0)

    private let paddingAfter = CachePadding()

    /// The ticks above which a turn is a stall; `.max` if there is no limit.
    let limit: UInt64

    /// The start of the current turn (loop thread only).
    @exclusivity(unchecked) nonisolated(unsafe) private var start: UInt64 = 0
    /// True from when the loop wakes up until its first lane (loop thread only).
    @exclusivity(unchecked) nonisolated(unsafe) private var hasJustWoken = false

    /// The stall detector's watch on this loop, if there is a limit (loop thread only).
    @exclusivity(unchecked) nonisolated(unsafe) private var watch: StallWatch?

    /// - Parameter limit: the nanoseconds above which a turn is a stall; nil for no limit.
    init(stallLimit limit: UInt64?) {
        self.limit = limit.map { max(1, ProcessorCounter.ticks(nanoseconds: $0)) } ?? .max
    }

    // MARK: The loop thread

    /// Begins a turn, unless one began when the loop woke up.
    func beginTurn(at now: UInt64) {
        if hasJustWoken {
            hasJustWoken = false
            return
        }
        endTurn(at: now)
        setStart(now)
    }

    /// Ends the turn: the loop is about to sleep, or to spin.
    func sleep() {
        endTurn(at: ProcessorCounter.now())
        turnStart.storeRelaxed(0)
    }

    /// Begins a turn: the loop is about to deliver what ended its sleep.
    func wake() {
        hasJustWoken = true
        setStart(ProcessorCounter.now())
    }

    /// Runs `body`, which may run callbacks, in a turn of its own, in the midst of a sleep.
    func whileAwake(_ body: () -> Bool) -> Bool {
        wake()
        defer { sleep() }
        return body()
    }

    /// Notes the steps of submitted work that a turn took.
    func note(steps count: Int) {
        turns.storeRelaxed(turns.loadRelaxed() &+ 1)
        steps.storeRelaxed(steps.loadRelaxed() &+ UInt(bitPattern: count))
    }

    /// Publishes the figures of a turn.
    func publish(_ timers: LoopTimers, _ backend: Backend) {
        completions.storeRelaxed(backend.deliveredCount)
        operations.storeRelaxed(UInt(bitPattern: backend.inFlight))
        receiveBuffers.storeRelaxed(UInt(bitPattern: backend.buffersInUse))
        firedTimers.storeRelaxed(timers.firedCount)
        armedTimers.storeRelaxed(UInt(bitPattern: timers.armedCount))
        let lateness = timers.takeLateness()
        if lateness > greatestLateness.loadRelaxed() { greatestLateness.storeRelaxed(lateness) }
    }

    /// Makes the stall detector watch the loop. Called before any other thread knows the loop.
    func watch(limit: UInt64, name: String) {
        let watch = StallWatch(self, limit: limit, name: name)
        self.watch = watch
        StallDetector.add(watch)
    }

    /// Ends the watch, before the thread ends.
    func unwatch() {
        if let watch { StallDetector.remove(watch) }
        watch = nil
    }

    private func setStart(_ now: UInt64) {
        start = now
        turnStart.storeRelaxed(UInt(now))
    }

    private func endTurn(at now: UInt64) {
        // A negative span comes from a move to another processor.
        let ticks = UInt64(max(0, Int64(bitPattern: now &- start)))
        if ticks > UInt64(longestTurn.loadRelaxed()) { longestTurn.storeRelaxed(UInt(ticks)) }
        if ticks > limit { noteStall(ticks) }
    }

    @inline(never)
    private func noteStall(_ ticks: UInt64) {
        lastStallStart.storeRelaxed(UInt(start))
        lastStallTicks.storeRelaxed(UInt(ticks))
        // Releasing: paired with the acquire in `reading`.
        stalls.storeReleasing(stalls.loadRelaxed() &+ 1)
    }

    // MARK: From any thread

    var reading: TurnReading {
        var reading = TurnReading()
        reading.endedStalls = stalls.loadAcquiring()
        reading.lastStallStart = UInt64(lastStallStart.loadRelaxed())
        reading.lastStallTicks = UInt64(lastStallTicks.loadRelaxed())
        reading.turnStart = UInt64(turnStart.loadRelaxed())
        let elapsed = Int64(bitPattern: ProcessorCounter.now() &- reading.turnStart)
        // If the turn ended meanwhile, the reader may have been suspended since, and the span is meaningless.
        if reading.turnStart != 0, isInTurn(since: reading.turnStart) { reading.elapsed = UInt64(max(0, elapsed)) }
        return reading
    }

    /// The address of the word with the start of the current turn, which is 0 while the loop sleeps.
    var turnStartWord: UnsafeRawPointer {
        // An atomic is never moved while it is borrowed: this is the address at which the word is stored.
        withUnsafePointer(to: turnStart) { UnsafeRawPointer($0) }
    }

    /// Indicates whether the turn that began at `start` still lasts.
    func isInTurn(since start: UInt64) -> Bool { UInt64(turnStart.loadRelaxed()) == start }

    var metrics: LoopMetrics {
        let reading = reading
        let longest = max(UInt64(longestTurn.loadRelaxed()), reading.elapsed)
        return LoopMetrics(
            turns: Int(bitPattern: turns.loadRelaxed()),
            steps: Int(bitPattern: steps.loadRelaxed()),
            completions: Int(bitPattern: completions.loadRelaxed()),
            firedTimers: Int(bitPattern: firedTimers.loadRelaxed()),
            armedTimers: Int(bitPattern: armedTimers.loadRelaxed()),
            operationsInFlight: Int(bitPattern: operations.loadRelaxed()),
            receiveBuffersInUse: Int(bitPattern: receiveBuffers.loadRelaxed()),
            longestTurn: Int(clamping: ProcessorCounter.nanoseconds(ticks: longest)),
            greatestTimerLateness: Int(bitPattern: greatestLateness.loadRelaxed()),
            stalls: Int(bitPattern: reading.endedStalls) + (reading.elapsed > limit ? 1 : 0))
    }

    /// Sets the maxima to 0. A turn that is ending may still write its figure after that.
    func resetMaxima() {
        longestTurn.storeRelaxed(0)
        greatestLateness.storeRelaxed(0)
    }
}
