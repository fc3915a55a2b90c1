// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The elements between a source and a scheduler, of which no more wait than the policy allows.
///
/// Each element that is kept has an event in the scheduler's queue. The event of an element that is dropped later stays there, and is
/// skipped in its turn: so the elements keep their places among the other work of the scheduler (law L4). But while many such events wait, an element
/// that drops another one has its event: those of a sender without a pause would grow for ever (law L13), and the last of them would never be reached.
final class BoundedObserveOnQueue<Element>: AnyObserveOnQueue {
    let downstream: Sink<Element>
    private let policy: OverflowPolicy

    private let lock = Mutex()
    // The lock protects the following fields.
    @exclusivity(unchecked) private var buffer: OverflowBuffer<Element>
    /// The number of events whose elements were dropped. They come before those of the elements in the buffer.
    @exclusivity(unchecked) private var skips = 0
    private static var skipLimit: Int { 256 }
    /// True from the wait of a source until it is resumed.
    @exclusivity(unchecked) private var hasWait = false

    /// Only the drainer accesses it.
    @exclusivity(unchecked) private var pace = QuestionPace.askingFirst

    /// A hop whose batches run in the queue that all work of a scheduler shares.
    init(downstream: Sink<Element>, policy: OverflowPolicy, sharedBy scheduler: any JobScheduler) {
        self.downstream = downstream
        self.policy = policy
        buffer = OverflowBuffer(policy)
        super.init(sharedBy: scheduler)
    }

    /// A hop with a queue of its own.
    init(downstream: Sink<Element>, policy: OverflowPolicy, in queue: PrivateRunQueue) {
        self.downstream = downstream
        self.policy = policy
        buffer = OverflowBuffer(policy)
        super.init(in: queue)
    }

    override var operatorName: StaticString { "observe(on:buffer:overflow:)" }

    var bound: Int { policy.bound }

    override func noteBacklog(_ count: Int) {
        if policy.overflow == .suspend { super.noteBacklog(count) }
    }

    // MARK: The upstream

    /// Offers an element to the buffer.
    ///
    /// - Returns: what became of it, and whether the caller has to submit an event for it.
    func offer(_ element: Element) -> (outcome: OverflowBuffer<Element>.Outcome, needsEvent: Bool) {
        lock.lock()
        defer { lock.unlock() }
        let outcome = buffer.offer(element)
        switch outcome {
        case .kept: return (outcome, true)
        case .droppedNewest, .overflowed: return (outcome, false)
        case .droppedOldest:
            if skips == Self.skipLimit { return (outcome, false) }
            skips += 1
            return (outcome, true)
        }
    }

    /// Releases the elements of a hop that was cancelled.
    override func releaseElements() {
        lock.lock()
        let taken = buffer.takeAll()
        lock.unlock()
        _ = consume taken
    }

    override var mustPause: Bool {
        if policy.overflow != .suspend { return false }
        lock.lock()
        defer { lock.unlock() }
        return buffer.mustPause(isAwaited: hasWait)
    }

    override var isAwaited: Bool {
        lock.lock()
        defer { lock.unlock() }
        return hasWait
    }

    override func beginWait() -> Bool {
        lock.lock()
        defer { lock.unlock() }
        if !buffer.mustPause(isAwaited: hasWait) { return false }
        hasWait = true
        return true
    }

    override func takeWait() -> Bool {
        lock.lock()
        defer { lock.unlock() }
        if !hasWait || buffer.mustPause(isAwaited: true) { return false }
        hasWait = false
        return true
    }

    // MARK: The drainer

    /// The work of an event in the scheduler's queue.
    private enum Work {
        case skip
        /// - Parameter resumes: whether the buffer may have come down to the low watermark.
        case element(Element, resumes: Bool)
        case terminal
    }

    private func takeWork() -> Work {
        lock.lock()
        defer { lock.unlock() }
        if skips > 0 {
            skips -= 1
            return .skip
        }
        if buffer.isEmpty { return .terminal }
        let element = buffer.popFirst()
        return .element(element, resumes: hasWait && !buffer.mustPause(isAwaited: true))
    }

    override var hasNoElements: Bool {
        lock.lock()
        defer { lock.unlock() }
        return buffer.isEmpty && skips == 0
    }

    override var receiver: AnySink { downstream }

    override func deliverEvents(_ count: Int) -> Int {
        var left = count
        while left > 0 {
            left -= 1
            switch takeWork() {
            case .skip: break
            case .terminal: finish()
            case .element(let element, let resumes):
                if resumes { resumeIfEmptied() }
                if send(element) { return left }
            }
        }
        return 0
    }

    /// Delivers an element, and returns whether the downstream has paused this hop.
    func send(_ element: Element) -> Bool {
        if isCancelled.loadRelaxed() == 0 { downstream.next(element) }
        if !pace.isDue() { return false }
        pace.willAsk()
        return didEndChunk()
    }
}
