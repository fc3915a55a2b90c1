// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The stage of `onBackpressure`: passes elements on while the downstream takes them, else keeps them.
///
/// Two threads meet here, the source's and the deputy that drains when the downstream has resumed this stage. The thread that finds the
/// serializer busy adds its element to the buffer, which the drainer delivers: so the bound holds in that case, too.
final class OnBackpressureSink<Element>: Sink<Element>, SerializerTarget, PausableSource {
    private let downstream: Sink<Element>
    private let policy: OverflowPolicy
    private let onDropped: ((Element) -> Void)?
    private let serializer = Serializer()
    private let backlogPlace = Backlog.Place()

    private let lock = Mutex()
    // The lock protects the following fields.
    @exclusivity(unchecked) private var buffer: OverflowBuffer<Element>
    /// The end of the source, which is delivered after the elements in the buffer.
    @exclusivity(unchecked) private var ending: Ending?
    /// The sources that wait until the buffer has emptied.
    @exclusivity(unchecked) private var waiting = WaitingSources()
    /// True while a node that drains is pending and has not begun.
    @exclusivity(unchecked) private var hasNode = false
    /// True once the serializer is closed and the kept elements are released.
    @exclusivity(unchecked) private var isReleased = false

    /// 1 while something is kept: elements, or the end. Written under the lock. A drainer that is also the producer, the one thread that adds
    /// something, reads it without.
    private let keeps = AtomicWord(0)

    /// The state towards the downstream, which may pause this stage.
    private let state = PauseState()
    // Only the drainer accesses these two.
    @exclusivity(unchecked) private var isPaused = false
    @exclusivity(unchecked) private var pace = QuestionPace.askingFirst

    /// True once the source has ended, or the buffer has overflowed. Only the upstream accesses it.
    @exclusivity(unchecked) private var hasEnded = false

    /// The number of elements that the drainer delivers as one piece of work (law L12).
    private static var elementsPerNode: Int { 16 }

    private enum Ending {
        case completed
        case error(any Swift.Error)
        case released
    }

    package var operatorName: StaticString { "onBackpressure(buffer:overflow:)" }

    package var elementsWeigh: Bool { isWeighted(Element.self) }

    init(downstream: Sink<Element>, policy: OverflowPolicy, onDropped: ((Element) -> Void)?) {
        self.downstream = downstream
        self.policy = policy
        self.onDropped = onDropped
        buffer = OverflowBuffer(policy)
        super.init()
    }

    deinit {
        if serializer.hasPending { serializer.discardPending(AnySerializerTarget(self)) }
    }

    // MARK: The source

    override func next(_ element: Element) {
        if hasEnded { return }
        guard serializer.tryEnter() else { return enqueue(element) }
        if keeps.loadRelaxed() == 0, !mustHold() {
            downstream.next(element)
            leave()
        } else {
            keep(element)
        }
    }

    /// Keeps an element of a source that is the drainer, delivers what may be delivered, and leaves.
    @inline(never)
    private func keep(_ element: Element) {
        let (outcome, count) = offer(element)
        drain()
        leave()
        react(to: outcome, count)
    }

    /// Keeps an element that comes while another thread delivers.
    @inline(never)
    private func enqueue(_ element: Element) {
        let (outcome, count) = offer(element)
        submitNode(DrainNode())
        react(to: outcome, count)
    }

    private func offer(_ element: Element) -> (OverflowBuffer<Element>.Outcome, Int) {
        lock.lock()
        defer { lock.unlock() }
        if isReleased { return (.kept, 0) }
        let outcome = buffer.offer(element)
        keeps.storeRelaxed(1)
        return (outcome, Backlog.count(buffer.count, whilePausing: !waiting.isEmpty))
    }

    /// Acts upon the outcome of an offer, outside the lock and the serializer.
    ///
    /// - Parameter count: the number of elements that are kept, as far as it is a backlog.
    private func react(to outcome: OverflowBuffer<Element>.Outcome, _ count: Int) {
        switch outcome {
        case .kept: Backlog.noticed(policy.overflow == .suspend ? count : 0, at: operatorName, backlogPlace)
        case .droppedOldest(let element), .droppedNewest(let element): drop(element)
        case .overflowed(let element):
            end(.error(BackpressureOverflowError(operatorName: operatorName, bound: policy.bound)))
            drop(element)
        }
    }

    private func drop(_ element: Element) {
        if let onDropped, !serializer.isClosed { onDropped(element) }
    }

    override func error(_ error: any Swift.Error) { end(.error(error)) }

    override func completed() { end(.completed) }

    override func upstreamReleased() { accept(.released) }

    private func end(_ ending: Ending) {
        accept(ending)
        // The end may have to wait for the elements before it. The source has ended all the same.
        endSource()
    }

    private func accept(_ ending: Ending) {
        if hasEnded { return }
        hasEnded = true
        if serializer.tryEnter() {
            if keeps.loadRelaxed() == 0 {
                finish(ending)
            } else {
                keep(ending)
                drain()
            }
            leave()
        } else {
            keep(ending)
            submitNode(DrainNode())
        }
    }

    private func keep(_ ending: Ending) {
        lock.lock()
        if !isReleased {
            self.ending = ending
            keeps.storeRelaxed(1)
        }
        lock.unlock()
    }

    override func upstreamGoesOn() { downstream.upstreamGoesOn() }

    /// Pauses a source while the buffer is full, if it suspends sources at all.
    override func pauses(_ source: any PausableSource) -> Bool {
        if policy.overflow != .suspend { return false }
        let inspected: WaitingSources.Inspected? = lock.withLock {
            isReleased || !buffer.mustPause(isAwaited: !waiting.isEmpty) ? nil : waiting.add(source)
        }
        return inspected != nil
    }

    // MARK: The downstream

    func resume() {
        guard state.resume(), !serializer.isClosed else { return }
        // Not on this thread, which may be inside the downstream, and must not be captured.
        if !DeputyPool.shared.submit(self) { drainAsDeputy() }
    }

    package func drainAsDeputy() {
        serializer.drainAsDeputy(AnySerializerTarget(self))
        submitNode(DrainNode())
    }

    override func cancel() {
        guard let source = takeUpstream() else { return }
        serializer.close(AnySerializerTarget(self))
        source.take()?.cancel()
    }

    override func quiesce() -> UInt {
        serializer.close(AnySerializerTarget(self))
        quiesceUpstream()
        return 0
    }

    override func quiesceBoundary() -> UInt { quiesce() }

    // MARK: The drainer

    @inline(__always)
    private func leave() {
        if !serializer.tryLeave() { finishLeaving() }
    }

    @inline(never)
    private func finishLeaving() { serializer.finishLeaving(AnySerializerTarget(self)) }

    /// Tells whether the downstream has paused this stage. Asks it now and then.
    private func mustHold() -> Bool {
        if isPaused {
            if state.isPaused { return true }
            isPaused = false
            pace = QuestionPace.askingFirst
        }
        if !pace.isDue() { return false }
        pace.willAsk()
        state.willAsk()
        isPaused = downstream.pauses(self) && state.pause()
        return isPaused
    }

    /// Delivers kept elements while the downstream takes them, and then the end.
    private func drain() {
        for _ in 0..<OnBackpressureSink.elementsPerNode {
            if serializer.isClosed { return }
            if keeps.loadRelaxed() == 0 { return }
            if let ending = takeEnding() { return finish(ending) }
            if mustHold() { return }
            guard deliverOldest() else { return }
        }
        // Counts as another thread's work, so that the drainer's budget ends it (law L12).
        submitNode(.foreign)
    }

    /// Takes the end if no element is kept before it.
    private func takeEnding() -> Ending? {
        lock.lock()
        defer { lock.unlock() }
        return buffer.isEmpty ? ending.take() : nil
    }

    /// Delivers the oldest element; returns false if there is none.
    private func deliverOldest() -> Bool {
        lock.lock()
        if buffer.isEmpty {
            lock.unlock()
            return false
        }
        let element = buffer.popFirst()
        if buffer.isEmpty, ending == nil { keeps.storeRelaxed(0) }
        if !waiting.isEmpty, !buffer.mustPause(isAwaited: true) {
            let taken = waiting.takeAll()
            lock.unlock()
            taken.resume()
        } else {
            lock.unlock()
        }
        downstream.next(element)
        return true
    }

    /// Sends the end.
    private func finish(_ ending: Ending) {
        if case .released = ending { return downstream.upstreamReleased() }
        serializer.closeFromInside()
        switch ending {
        case .error(let error): downstream.error(error)
        case .completed, .released: downstream.completed()
        }
        cancel()
    }

    /// Submits a node that drains, unless one is pending.
    private func submitNode(_ node: DrainNode) {
        lock.lock()
        let isNeeded = !hasNode && !isReleased
        if isNeeded { hasNode = true }
        lock.unlock()
        if isNeeded { serializer.submit(NodeMemory.make(node), to: AnySerializerTarget(self)) }
    }

    // MARK: SerializerTarget

    package func downstreamPauses(_ source: any PausableSource) -> Bool { false }

    package func run(_ node: UnsafeMutablePointer<DrainNode>) {
        discard(node)
        lock.lock()
        hasNode = false
        lock.unlock()
        drain()
    }

    package func discard(_ node: UnsafeMutablePointer<DrainNode>) { _ = NodeMemory.take(node, as: DrainNode.self) }

    package func serializerDidClose() {
        lock.lock()
        isReleased = true
        keeps.storeRelaxed(0)
        let elements = buffer.takeAll()
        let ending = self.ending.take()
        let sources = waiting.takeAll()
        lock.unlock()
        // A source that waits may belong to other chains, too.
        sources.resume()
        withExtendedLifetime(ending) {}
        _ = consume elements
    }
}
