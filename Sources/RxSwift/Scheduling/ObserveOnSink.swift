// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Carries events from one thread to a scheduler: the stage of `observe(on:)`.
///
/// Events are queued in chunks. A batch in the scheduler's queue covers as many of them as follow each other without other work
/// submitted in between. So a burst costs one job, and all work of a serial scheduler keeps its order of submission. Cost per event:
/// a push, a read-modify-write, and no allocation in steady state.
@usableFromInline
package class ObserveOnSink<Element>: EventBatchingSink<Element> {
    private let events: ObserveOnQueue<Element>
    /// The downstream of `events`, to be called without counting a reference.
    private let downstream: Unmanaged<Sink<Element>>

    /// Weighs an element; nil if elements count only by their number.
    private let weigh: ((Element) -> Int)?
    /// The bytes that the elements in the open chunk of the queue hold. Only the upstream accesses it.
    @exclusivity(unchecked) private var openWeight = 0

    /// - Parameters:
    ///   - queueType: the type of the events, known where the type of the elements is: see `LinearOperator`.
    ///   - weigh: weighs an element; nil if elements count only by their number.
    required init(
        _ queueType: ObserveOnQueue<Element>.Type, downstream: Sink<Element>, scheduler: any JobScheduler,
        weigh: ((Element) -> Int)?
    ) {
        let runQueue: RunQueue
        if let shared = scheduler.runQueue {
            runQueue = shared
            events = queueType.init(downstream: downstream, sharedBy: scheduler)
        } else {
            let own = scheduler.makePrivateQueue()
            runQueue = own
            events = queueType.init(downstream: downstream, in: own)
        }
        self.weigh = weigh
        self.downstream = .passUnretained(downstream)
        super.init(events: events, runQueue: runQueue, of: scheduler)
    }

    package convenience init(downstream: Sink<Element>, scheduler: any JobScheduler, weigh: ((Element) -> Int)? = nil) {
        self.init(ObserveOnQueue<Element>.self, downstream: downstream, scheduler: scheduler, weigh: weigh)
    }

    package override func next(_ element: Element) {
        if gate != nil, tryDeliverInline(element) { return }
        events.elements.push(element)
        if let weigh { add(weigh(element)) }
        submitBatch()
    }

    /// Delivers an element at once if the queue allows that, and no event waits that the downstream has paused.
    @inline(__always)
    private func tryDeliverInline(_ element: Element) -> Bool {
        guard tryEnterInline() else { return false }
        let isNext = !events.isPaused
        if isNext, events.isCancelled.loadRelaxed() == 0 { downstream._withUnsafeGuaranteedRef { $0.next(element) } }
        leaveInline()
        return isNext
    }

    /// Ends a chunk of the queue early when the elements in it hold a unit of memory.
    private func add(_ weight: Int) {
        openWeight += weight
        if openWeight < ObserveOnSink.unitWeight { return }
        events.elements.closeChunk(units: UInt(openWeight / ObserveOnSink.unitWeight))
        openWeight = 0
    }

    /// The bytes that count as a unit of the queue, as 512 elements do: 16 units are 1 MiB, or 8,192 elements.
    private static var unitWeight: Int { 1 << 16 }

    override func pausesInline(_ source: any PausableSource) -> Bool {
        guard tryEnterInline() else { return false }
        defer { leaveInline() }
        return !events.isPaused && downstream._withUnsafeGuaranteedRef { $0.pauses(source) }
    }
}

/// The part of a hop that does not depend on how its elements wait: makes its events parts of batches in the scheduler's queue, and ends.
@usableFromInline
package class EventBatchingSink<Element>: Sink<Element> {
    final let runQueue: RunQueue
    /// Decides whether an event may be delivered at once; nil for a scheduler where it never may. The scheduler holds it: its references are
    /// not counted with each event.
    final let gate: Unmanaged<InlineGate>?
    /// The owner of `runQueue`, kept alive as long as this hop may submit something.
    private final let scheduler: any JobScheduler
    private final let batchedEvents: AnyObserveOnQueue

    /// True once the sequence has ended here. Only the upstream accesses it.
    @exclusivity(unchecked) private(set) final var hasEnded = false

    /// The number of events that were submitted. Only the upstream accesses it.
    @exclusivity(unchecked) private final var submitted: UInt = 0

    // Only the upstream, whose calls are serial, accesses the batches.
    /// The batches of this hop, retained and linked, longest out of use first.
    @exclusivity(unchecked) private final var oldestBatch: Unmanaged<EventBatch>
    /// The last of them: the only one that may take more events.
    @exclusivity(unchecked) private final var openBatch: Unmanaged<EventBatch>

    init(events: AnyObserveOnQueue, runQueue: RunQueue, of scheduler: any JobScheduler) {
        batchedEvents = events
        self.runQueue = runQueue
        gate = scheduler.inlineGate.map(Unmanaged.passUnretained)
        self.scheduler = scheduler
        openBatch = .passRetained(EventBatch(events, scheduler.inlineGate))
        oldestBatch = openBatch
        super.init()
    }

    deinit {
        var rest: Unmanaged<EventBatch>? = oldestBatch
        while let batch = rest {
            rest = batch._withUnsafeGuaranteedRef { $0.newer }
            batch.release()
        }
    }

    package final override func link(_ stage: Stage) {
        batchedEvents.receiver.link(self)
        super.link(stage)
    }

    package override func upstreamGoesOn() { batchedEvents.receiver.upstreamGoesOn() }

    package final override func pauses(_ source: any PausableSource) -> Bool {
        guard batchedEvents.pauses(source) else { return pausesInline(source) }
        // A cancellation may have resumed the waiting sources before this one was among them. A read-modify-write, acquiring: either it
        // finds the word as `cancel` left it, or `cancel` finds that a source waits.
        return upstream.fetchAdd(0) != Stage.cancelled
    }

    /// Asks the stages below, if elements pass this hop without waiting.
    func pausesInline(_ source: any PausableSource) -> Bool { false }

    // MARK: The end

    package final override func error(_ error: any Swift.Error) { end(with: error, then: {}) }

    package final override func completed() { end(with: nil, then: {}) }

    package final override func error(_ error: any Swift.Error, then after: () -> Void) {
        end(with: error, then: after)
    }

    package final override func completed(then after: () -> Void) { end(with: nil, then: after) }

    /// - Parameter after: the closure that `do` runs after the event: before the source is cancelled, as in RxSwift (law L11),
    ///   unless the event is delivered at once and the downstream cancels.
    final func end(with error: (any Swift.Error)?, then after: () -> Void) {
        if hasEnded { return after() }
        hasEnded = true
        batchedEvents.error = error
        var isDelivered = false
        if tryEnterInline() {
            isDelivered = !batchedEvents.isPaused || batchedEvents.hasNoElements
            if isDelivered { batchedEvents.finish() }
            leaveInline()
        }
        if !isDelivered { submitBatch() }
        after()
        // The event may have to wait for the scheduler. The source has ended all the same.
        cancelUpstream()
    }

    package final override func cancel() {
        batchedEvents.isCancelled.storeRelaxed(1)
        runQueue.unschedule()
        cancelUpstream()
        batchedEvents.releaseElements()
    }

    private final func cancelUpstream() {
        super.cancel()
        batchedEvents.didCancel()
    }

    package final override func quiesce() -> UInt {
        batchedEvents.isCancelled.storeRelaxed(1)
        return super.quiesce()
    }

    package final override func quiesceBoundary() -> UInt { quiesce() }

    // MARK: Batches

    /// Begins a delivery at once, if that is allowed.
    @inline(__always)
    final func tryEnterInline() -> Bool {
        guard let gate else { return false }
        return gate._withUnsafeGuaranteedRef { $0.tryEnter() }
    }

    /// Ends what `tryEnterInline` has begun.
    @inline(__always)
    final func leaveInline() { gate?._withUnsafeGuaranteedRef { $0.leave() } }

    /// Adds one more event to the last batch, or to a new batch if that one is not the last job in the queue any more.
    final func submitBatch() {
        submitted &+= 1
        // Not for each event, as each call looks at the threshold and at a word of the drainer.
        if submitted % 64 == 0 { batchedEvents.noteBacklog(batchedEvents.waitingCount(of: submitted)) }
        if openBatch._withUnsafeGuaranteedRef({ runQueue.isLast($0) && $0.tryExtend() }) { return }
        // The scheduler may have ended: a source that keeps emitting would occupy the thread that rejects the batches.
        if batchedEvents.isCancelled.loadRelaxed() != 0 { return cancelUpstream() }
        prepareBatch()
        gate?._withUnsafeGuaranteedRef { $0.jobBegins() }
        openBatch._withUnsafeGuaranteedRef { batch in
            batch.open()
            runQueue.submit(batch)
        }
    }

    /// Makes a batch that is not in use the open batch.
    @inline(never)
    private final func prepareBatch() {
        let oldest = oldestBatch
        if !oldest._withUnsafeGuaranteedRef({ $0.isClosed }) {
            return append(.passRetained(EventBatch(batchedEvents, scheduler.inlineGate)))
        }
        guard let second = oldest._withUnsafeGuaranteedRef({ $0.newer }) else { return }
        if second._withUnsafeGuaranteedRef({ $0.isClosed }), let third = second._withUnsafeGuaranteedRef({ $0.newer }) {
            // There are more batches than needed by now. One is released each time, so that those of a burst do not stay for ever.
            oldest.release()
            oldestBatch = third
            append(second)
        } else {
            oldestBatch = second
            append(oldest)
        }
    }

    private final func append(_ batch: Unmanaged<EventBatch>) {
        batch._withUnsafeGuaranteedRef { $0.newer = nil }
        openBatch._withUnsafeGuaranteedRef { $0.newer = batch }
        openBatch = batch
    }
}

/// The events of one hop that follow each other in the scheduler's queue without other work in between.
private final class EventBatch: Job {
    private let events: AnyObserveOnQueue

    /// The next of the hop's batches. Only the hop accesses it.
    @exclusivity(unchecked) var newer: Unmanaged<EventBatch>?

    /// The number of events left, and of those delivered that the drainer has not subtracted yet; 0 means closed, and only the hop opens
    /// the batch again. The hop increases the count, the drainer decreases it.
    private let count = AtomicWord(0)

    /// The number of delivered events that are still in `count`. Only the drainer accesses it.
    @exclusivity(unchecked) private var uncounted = 0
    /// The number of events delivered since the batch was opened. Only the drainer accesses it.
    @exclusivity(unchecked) private var delivered = 0

    /// Fewer events than this at a time are not worth fetching the shared words for, when more are likely to come.
    private static let smallBatch = 32
    /// The number of delivered events that are subtracted at the latest.
    private static let largeBatch = 512

    init(_ events: AnyObserveOnQueue, _ gate: InlineGate?) {
        self.events = events
        super.init()
        self.gate = gate
    }

    /// Spins for about half a microsecond without touching the words that the source writes.
    ///
    /// A quarter of that time makes batches smaller, and the hop slower by a quarter; a longer time changes nothing.
    private func spinBriefly() {
        _ = SpinWait.spin(nanoseconds: 450) { events.isCancelled.loadRelaxed() != 0 }
    }

    /// True if the drainer has finished this batch.
    var isClosed: Bool {
        // Acquiring: paired with the release in `run` that closes.
        count.loadAcquiring() == 0
    }

    func open() { count.storeRelaxed(1) }

    /// Adds an event, unless the batch was closed.
    func tryExtend() -> Bool {
        // Not a load and a compare-exchange, which would fetch the shared line twice. Releasing: paired with the acquire in `run`.
        let known = count.fetchAdd(1)
        if known == 0 {
            // The batch is closed: no other thread looks at the count.
            count.storeRelaxed(0)
            return false
        }
        return true
    }

    override var holdsEvents: Bool { true }

    /// Drops the events of this batch and all later ones, because the scheduler has ended.
    override func wasRejected() -> Bool {
        events.reject {
            let rejected = uncounted
            (uncounted, delivered) = (0, 0)
            // Closes the batch at once, as a fast source could extend it without end. The hop, which extends it no more, finds the cancellation.
            events.deliver(Int(bitPattern: count.exchange(0)) - rejected)
        }
    }

    override func run(_ budget: inout Int) -> Bool {
        events.unlessDelivering(&budget) { deliver(&$0) }
    }

    private func deliver(_ budget: inout Int) -> Bool {
        var known = Int(bitPattern: count.loadAcquiring()) - uncounted
        while true {
            let deliverable = min(known, budget)
            events.deliver(deliverable)
            budget -= deliverable
            uncounted += deliverable
            delivered += deliverable
            // A turn may give this batch many small budgets. They do not fetch the word that the source writes.
            if deliverable < known, uncounted < EventBatch.largeBatch { return false }
            let (finished, total) = (uncounted, delivered)
            // In the midst of a stream, a drainer that is faster than the source would fetch the shared words anew for every event or
            // two, and slow both threads down. It waits a moment for a batch instead. A single event never waits.
            if finished < EventBatch.smallBatch, total > EventBatch.smallBatch { spinBriefly() }
            // Before the subtraction, which may close the batch: the hop may submit a closed batch anew.
            (uncounted, delivered) = (0, 0)
            let before = Int(bitPattern: count.fetchAdd(0 &- UInt(bitPattern: finished)))
            if before == finished { return true }
            delivered = total
            if budget <= 0 { return false }
            known = before - finished
        }
    }
}
