// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The state that a hop and its batches share: the events on their way, and the pauses. It does not hold the hop.
@usableFromInline
class AnyObserveOnQueue: PausableSource {
    /// The error of the sequence. Set once, before the last event is submitted.
    final var error: (any Swift.Error)?

    /// Not 0 from the hop's cancellation on: `rejected` if the end of the scheduler has cancelled it, unless a dispose follows.
    final let isCancelled = AtomicWord(0)

    private static let rejected: UInt = 2

    // The queue in which the hop's batches run; one of the two is nil.
    /// The scheduler whose queue it is. That queue runs or rejects all its jobs, which hold this object.
    private final let sharedScheduler: (any JobScheduler)?
    /// Weak, because jobs of a hop that was cancelled stay in it.
    private final weak var privateQueue: PrivateRunQueue?

    private final let lock = Mutex()
    /// The sources that wait until the queue has emptied; under the lock.
    @exclusivity(unchecked) private final var waiting = WaitingSources()

    /// The state towards the downstream, which may pause this hop.
    private final let state = PauseState()
    // Only the drainer accesses these two.
    /// The number of events that batches have left in the queue.
    @exclusivity(unchecked) private final var postponed = 0
    /// True from the downstream's pause until the job that delivers the postponed events.
    @exclusivity(unchecked) private(set) final var isPaused = false
    /// True once the terminal event was taken from the queue and not delivered.
    @exclusivity(unchecked) private final var hasDroppedTerminal = false
    /// True while a batch is being delivered: a callback that blocks the main queue may run jobs that wait there, see `RunQueue.runNext`.
    @exclusivity(unchecked) private final var isDelivering = false

    private final let backlogPlace = Backlog.Place()
    /// The number of events that were delivered or dropped, modulo 2^64. Written by the drainer; out of date as soon as another thread reads it.
    private final let deliveredCount = AtomicWord(0)
    /// 1 once a source has asked whether to pause.
    // Relaxed: a hint for reports.
    private final let wasAsked = AtomicWord(0)

    init(sharedBy scheduler: any JobScheduler) { sharedScheduler = scheduler }

    init(in queue: PrivateRunQueue) {
        sharedScheduler = nil
        privateQueue = queue
    }

    // MARK: Pausing the sources

    /// True if the queue is full. Out of date as soon as it is read.
    var mustPause: Bool { abstractMethod() }

    /// True if a source waits. Out of date as soon as it is read.
    var isAwaited: Bool { abstractMethod() }

    /// Begins the wait of a source, unless the queue is not full any more.
    func beginWait() -> Bool { abstractMethod() }

    /// Ends the wait, if there is one and the queue has emptied.
    func takeWait() -> Bool { abstractMethod() }

    /// Tells whether a source above has to pause.
    final func pauses(_ source: any PausableSource) -> Bool {
        if wasAsked.loadRelaxed() == 0 { wasAsked.storeRelaxed(1) }
        if !mustPause { return false }
        let inspected = lock.withLock { waiting.add(source) }
        withExtendedLifetime(inspected) {}
        // The source is in the list before the word is set: the thread that clears the word finds it.
        return beginWait()
    }

    /// Resumes the waiting sources of a hop that was cancelled.
    final func didCancel() {
        if isAwaited { resumeWaiting() }
    }

    /// Resumes the waiting sources if there are any and the queue has emptied.
    final func resumeIfEmptied() {
        if takeWait() { resumeWaiting() }
    }

    private final func resumeWaiting() {
        lock.lock()
        let taken = waiting.takeAll()
        lock.unlock()
        taken.resume()
    }

    /// The number of events that wait, of those submitted so far.
    final func waitingCount(of submitted: UInt) -> Int { Int(bitPattern: submitted &- deliveredCount.loadRelaxed()) }

    /// Reports, from time to time, the number of events that wait. A source that asks emits some more before it does so again.
    func noteBacklog(_ count: Int) {
        Backlog.noticed(Backlog.count(count, whilePausing: wasAsked.loadRelaxed() != 0), at: operatorName, backlogPlace)
    }

    /// The name of the operator, for diagnostics.
    var operatorName: StaticString { "observe(on:)" }

    // MARK: Delivering

    /// Delivers the oldest `count` events, or as many as come before the end of a chunk at which `didEndChunk` returns true. Only the
    /// drainer may call it.
    ///
    /// - Returns: the number of events that were not delivered.
    func deliverEvents(_ count: Int) -> Int { abstractMethod() }

    /// True if only the terminal event can be left in the queue.
    var hasNoElements: Bool { abstractMethod() }

    /// The downstream.
    var receiver: AnySink { abstractMethod() }

    /// Releases the elements that wait, of a hop that was cancelled, where that need not be left to the batches.
    func releaseElements() {}

    /// Delivers the terminal event, the one event that is left when there is no element. Only the drainer may call it.
    final func finish() {
        if isCancelled.loadRelaxed() != 0 {
            hasDroppedTerminal = true
            return
        }
        if let error { receiver.error(error) } else { receiver.completed() }
    }

    /// Delivers the oldest `count` events, or leaves them in the queue while the downstream has paused this hop. Only the drainer may
    /// call it.
    final func deliver(_ count: Int) {
        if isPaused, !hasNoElements {
            postponed += count
        } else {
            let left = deliverEvents(count)
            if left != 0 { postponed += left }
            noteDelivered(count - left)
        }
    }

    private final func noteDelivered(_ count: Int) {
        // No read-modify-write: only the drainer writes it.
        deliveredCount.storeRelaxed(deliveredCount.loadRelaxed() &+ UInt(bitPattern: count))
    }

    /// Reacts to the end of a chunk of the queue: resumes the sources above, and asks the downstream. Returns whether this hop has to pause.
    @inline(never)
    final func didEndChunk() -> Bool {
        resumeIfEmptied()
        if isCancelled.loadRelaxed() != 0 { return false }
        state.willAsk()
        isPaused = receiver.pauses(self) && state.pause()
        return isPaused
    }

    /// Runs a job that delivers events, or has it wait while another one does so further up the stack.
    @inline(__always)
    final func unlessDelivering(_ budget: inout Int, _ deliver: (inout Int) -> Bool) -> Bool {
        if isDelivering {
            budget = -1
            return false
        }
        isDelivering = true
        defer { isDelivering = false }
        return deliver(&budget)
    }

    @usableFromInline
    final func resume() {
        guard state.resume(), isCancelled.loadRelaxed() == 0 else { return }
        let job = ResumedEvents(self)
        if let gate = sharedScheduler?.inlineGate {
            job.gate = gate
            gate.jobBegins()
        }
        (sharedScheduler?.runQueue ?? privateQueue)?.submit(job)
    }

    /// Drops the postponed events, and those that `batch` drops, because the scheduler has ended.
    ///
    /// - Returns: true if the sequence was not cancelled before. It fails then, if the scheduler says with what.
    final func reject(_ batch: () -> Void = {}) -> Bool {
        let isLost = isCancelled.exchange(AnyObserveOnQueue.rejected) == 0
        let hasElements = isLost && !hasNoElements
        var budget = Int.max
        _ = deliverPostponed(&budget)
        batch()
        if isLost {
            (sharedScheduler ?? privateQueue?.scheduler)?.tellOfLoss { self.end(hasElements: hasElements, $0) }
        }
        return isLost
    }

    /// Ends a hop whose last events were dropped, unless it was disposed of meanwhile: as its source has ended, if no element is missing.
    private final func end(hasElements: Bool, _ lossError: any Swift.Error) {
        if isCancelled.loadRelaxed() != AnyObserveOnQueue.rejected { return }
        if hasDroppedTerminal, let error { return receiver.error(error) }
        if hasDroppedTerminal, !hasElements { return receiver.completed() }
        receiver.error(lossError)
    }

    /// Delivers the postponed events, when the downstream has resumed this hop. Returns false if the budget ran out first.
    fileprivate final func deliverPostponed(_ budget: inout Int) -> Bool {
        isPaused = false
        // The downstream is asked again at the end of each chunk, and may not want more than a part.
        while postponed > 0, !isPaused {
            if budget <= 0 { return false }
            let count = min(postponed, budget)
            postponed -= count
            let left = deliverEvents(count)
            postponed += left
            noteDelivered(count - left)
            budget -= count - left
        }
        return true
    }
}

/// The job that delivers the events which a hop had postponed.
private final class ResumedEvents: Job {
    private let events: AnyObserveOnQueue

    init(_ events: AnyObserveOnQueue) {
        self.events = events
        super.init()
    }

    override func run(_ budget: inout Int) -> Bool {
        events.unlessDelivering(&budget) { events.deliverPostponed(&$0) }
    }

    override var holdsEvents: Bool { true }

    override func wasRejected() -> Bool { events.reject() }
}

@usableFromInline
final class ObserveOnQueue<Element>: AnyObserveOnQueue {
    /// The elements on their way from the upstream to the drainer.
    let elements = SPSCQueue<Element>()
    let downstream: Sink<Element>

    /// A hop whose batches run in the queue that all work of a scheduler shares.
    required init(downstream: Sink<Element>, sharedBy scheduler: any JobScheduler) {
        self.downstream = downstream
        super.init(sharedBy: scheduler)
    }

    /// A hop with a queue of its own.
    required init(downstream: Sink<Element>, in queue: PrivateRunQueue) {
        self.downstream = downstream
        super.init(in: queue)
    }

    override var mustPause: Bool { elements.load.mustPause }

    override var isAwaited: Bool { elements.load.isAwaited }

    override func beginWait() -> Bool { elements.beginWait() }

    override func takeWait() -> Bool { elements.takeWait() }

    override var hasNoElements: Bool { elements.isEmpty }

    override var receiver: AnySink { downstream }

    override func deliverEvents(_ count: Int) -> Int {
        var left = count
        while left > 0 {
            if elements.isUsedUp {
                if !elements.findMore() {
                    left -= 1
                    finish()
                    continue
                }
                if elements.takeChunkEnd(), didEndChunk() { return left }
            }
            left -= 1
            let element = elements.popKnown()
            if isCancelled.loadRelaxed() == 0 { downstream.next(element) }
        }
        return 0
    }
}
