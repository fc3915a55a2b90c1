// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension ObservableType where Element: ObservableConvertibleType {
    /// Merges inner sequences, subscribing to at most `maxConcurrent` at a time.
    ///
    /// - Parameter maxConcurrent: the greatest number of inner sequences subscribed to at a time. The others wait in order; each is
    ///   subscribed to on the thread on which one before it completes, or that is subscribing just then. That thread does so for elements of other threads
    ///   256 times or for a millisecond; then a thread of the runtime goes on. A source that can pause does so while 16 wait.
    /// - Returns: the elements in order of acceptance, one at a time, even if they come from several threads. The first error
    ///   ends the sequence; it completes when the source and all inner sequences have.
    /// - SeeAlso: [Merge](https://reactivex.io/documentation/operators/merge.html)
    @inlinable
    public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
        LimitedMerge(source: asObservable(), limit: maxConcurrent, dropsWhenFull: false) { $0.asObservable() }
    }

    /// The elements of one inner sequence after another.
    ///
    /// Inner sequences wait, in order, until those before them have completed. A source that can pause does so while 16 wait.
    /// - Returns: fails with the first error of any; completes when the source and all inner sequences have.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public func concat() -> Observable<Element.Element> {
        LimitedMerge(source: asObservable(), limit: 1, dropsWhenFull: false, name: "concat") { $0.asObservable() }
    }
}

/// The observable of `merge(maxConcurrent:)`, `concatMap` and `flatMapFirst`.
@usableFromInline
final class LimitedMerge<Element, Result>: Observable<Result>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let limit: Int
    @usableFromInline let dropsWhenFull: Bool
    @usableFromInline let name: StaticString
    @usableFromInline let selector: (Element) throws -> Observable<Result>
    @usableFromInline let sinkType: LimitedMergeSink<Element, Result>.Type
    @usableFromInline let coordinatorType: LimitedMergeCoordinator<Result>.Type

    /// - Parameters:
    ///   - dropsWhenFull: whether an element is ignored if it arrives while no slot is free; else its sequence waits.
    ///   - name: the operator's, for diagnostics.
    @inlinable
    init(
        source: Observable<Element>, limit: Int, dropsWhenFull: Bool, name: StaticString = "merge(maxConcurrent:)",
        selector: @escaping (Element) throws -> Observable<Result>
    ) {
        self.source = source
        self.limit = limit
        self.dropsWhenFull = dropsWhenFull
        self.name = name
        self.selector = selector
        self.sinkType = LimitedMergeSink<Element, Result>.self
        self.coordinatorType = LimitedMergeCoordinator<Result>.self
        super.init()
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Result>) {
        let coordinator = coordinatorType.init(limit: limit, name: name, downstream: downstream)
        coordinator.linkDownstream()
        source.subscribeCore(sinkType.init(selector: selector, dropsWhenFull: dropsWhenFull, coordinator: coordinator))
        coordinator.didSubscribe()
    }
}

/// Receives the outer elements.
@usableFromInline
final class LimitedMergeSink<Element, Result>: Sink<Element> {
    private let selector: (Element) throws -> Observable<Result>
    private let dropsWhenFull: Bool
    private let coordinator: LimitedMergeCoordinator<Result>

    required init(
        selector: @escaping (Element) throws -> Observable<Result>, dropsWhenFull: Bool,
        coordinator: LimitedMergeCoordinator<Result>
    ) {
        self.selector = selector
        self.dropsWhenFull = dropsWhenFull
        self.coordinator = coordinator
        super.init()
    }

    @usableFromInline
    override func link(_ stage: Stage) { coordinator.link(stage) }

    override func upstreamGoesOn() { coordinator.upstreamGoesOn() }

    override func pauses(_ source: any PausableSource) -> Bool {
        coordinator.pausesOuter(source) || coordinator.pauses(source)
    }

    @usableFromInline
    override func next(_ element: Element) {
        if dropsWhenFull, !coordinator.hasRoom { return }
        do {
            let inner = try selector(element)
            if !coordinator.isCancelled { coordinator.admit(inner) }
        } catch {
            if !coordinator.isCancelled { self.error(error) }
        }
    }

    @usableFromInline
    override func error(_ error: any Swift.Error) {
        coordinator.error(error)
        coordinator.endSource()
    }

    @usableFromInline
    override func completed() { coordinator.outerCompleted() }
}

/// Gives inner sources their slots, and serializes their events.
@usableFromInline
final class LimitedMergeCoordinator<Element>: SerializedSink<Element> {
    private let lock = Mutex()

    // The mutable fields are protected by the lock.
    private var limit: ConcurrencyLimit<WaitingInner<Element>>
    private var slots: [LimitedMergeSlot<Element>] = []
    private var freeSlots: [LimitedMergeSlot<Element>] = []
    private var isClosed = false
    /// The slots that are cancelled when the outer source has been subscribed to.
    private var postponed: [LimitedMergeSlot<Element>] = []
    /// The outer sources that wait until few inner sources wait.
    private var waitingOuter = WaitingSources()

    private let subscribePhase = SubscribePhase(begun: true)
    private let backlogPlace = Backlog.Place()

    /// The number of slots that deputies have. Relaxed: a hint for producers.
    private let deputySlots = AtomicWord(0)

    private let name: StaticString

    package override var operatorName: StaticString { name }

    required init(limit: Int, name: StaticString, downstream: Sink<Element>) {
        self.limit = ConcurrencyLimit(limit: limit)
        self.name = name
        super.init(downstream: downstream)
    }

    /// Notes that the outer source has been subscribed to, and cancels the slots that were postponed.
    func didSubscribe() {
        guard subscribePhase.end() else { return }
        lock.lock()
        let given = postponed
        postponed = []
        lock.unlock()
        for slot in given { slot.cancel() }
    }

    /// True if an inner source that comes now would run at once. Only the outer source can make that untrue.
    var hasRoom: Bool { lock.withLock { limit.hasRoom } }

    /// Runs an inner source, or lets it wait for a slot.
    func admit(_ inner: Observable<Element>) {
        if let slot = slot(for: inner) { slot.run(inner) }
    }

    /// Returns the slot in which an inner source is to run now, or lets it wait.
    ///
    /// Separate, so that the part that stays on the stack while the source runs is small (law L8).
    @inline(never)
    private func slot(for inner: Observable<Element>) -> LimitedMergeSlot<Element>? {
        lock.lock()
        guard !isClosed, limit.admit(WaitingInner(source: inner, producer: CurrentThread.identity)) else {
            let waitingCount = isClosed ? 0 : limit.waitingCount
            let count = Backlog.count(waitingCount, whilePausing: !waitingOuter.isEmpty)
            lock.unlock()
            Backlog.noticed(count, at: operatorName, backlogPlace)
            if waitingCount > DrainSession.waitThreshold, deputySlots.loadRelaxed() != 0 { waitForDeputy() }
            return nil
        }
        let free = freeSlots.popLast()
        lock.unlock()
        return free ?? makeSlot()
    }

    /// Makes a slot, or returns nil if this coordinator takes no more sources.
    private func makeSlot() -> LimitedMergeSlot<Element>? {
        let slot = LimitedMergeSlot(coordinator: self)
        lock.lock()
        defer { lock.unlock() }
        if isClosed { return nil }
        slots.append(slot)
        return slot
    }

    /// Ends the source in a slot, which has completed. Returns the source that takes the slot, if one waits.
    func successor(in slot: LimitedMergeSlot<Element>) -> WaitingInner<Element>? {
        lock.lock()
        let next = isClosed ? .idle : limit.innerEnded()
        if !isClosed, case .idle = next { freeSlots.append(slot) }
        if !waitingOuter.isEmpty, limit.waitingCount <= LimitedMergeBounds.low {
            resumeOuter()
        } else {
            lock.unlock()
        }
        switch next {
        case .start(let inner): return inner
        case .idle: return nil
        case .complete:
            completed()
            return nil
        }
    }

    // MARK: Help (law L12)

    /// Leaves a source, and those that follow in its slot, to a deputy. Returns false if there is none.
    @inline(never)
    func leave(_ inner: Observable<Element>, in slot: LimitedMergeSlot<Element>) -> Bool {
        _ = deputySlots.fetchAdd(1)
        if DeputyPool.shared.submit(LimitedMergeHandover(inner, in: slot, of: self)) { return true }
        deputyLeft()
        return false
    }

    func deputyLeft() { _ = deputySlots.fetchAdd(0 &- 1) }

    /// Slows down a producer that is faster than a deputy.
    @inline(never)
    private func waitForDeputy() {
        let session = DrainSession.current
        guard session.mayWait else { return }
        session.wait {
            deputySlots.loadRelaxed() == 0 || lock.withLock { limit.waitingCount } < DrainSession.waitThreshold / 64
        }
    }

    // MARK: Pausing

    /// Tells whether so many inner sources wait that the outer one has to pause.
    func pausesOuter(_ source: any PausableSource) -> Bool {
        let inspected: WaitingSources.Inspected? = lock.withLock {
            let bound = waitingOuter.isEmpty ? LimitedMergeBounds.high : LimitedMergeBounds.low + 1
            return isClosed || limit.waitingCount < bound ? nil : waitingOuter.add(source)
        }
        return inspected != nil
    }

    /// Resumes the outer sources that wait. The caller holds the lock, which this releases.
    private func resumeOuter() {
        let resumed = waitingOuter.takeAll()
        lock.unlock()
        resumed.resume()
    }

    /// True if the cancellation of inner sources is postponed until the outer source has been subscribed to.
    var hasPostponed: Bool { subscribePhase.hasPostponed }

    func outerCompleted() {
        let isLast = lock.withLock { limit.outerEnded() }
        if isLast { completed() }
        endSource()
    }

    override var hasSources: Bool { true }

    override func quiesceSources() {
        super.quiesceSources()
        lock.withLock { isClosed = true }
        forEachFurtherLink { $0.quiesceUpstream() }
    }

    package override func forEachFurtherLink(_ body: (Stage) -> Void) {
        for slot in lock.withLock({ slots }) { body(slot) }
    }

    @usableFromInline
    override func cancel() {
        super.cancel()
        cancelSlots()
    }

    /// Separate, so that the part that stays on the stack while the source is cancelled is small (law L8).
    @inline(never)
    private func cancelSlots() {
        lock.lock()
        isClosed = true
        var given = (slots: slots, free: freeSlots, waiting: limit.takeWaiting())
        slots = []
        freeSlots = []
        if !given.slots.isEmpty, subscribePhase.postpones() {
            postponed = given.slots
            given.slots = []
        }
        let postponed = postponed
        resumeOuter()
        // Closures of postponed sources must not run meanwhile (law L1). A source that is being subscribed to may be in a loop.
        for slot in postponed { if slot.isSubscribing { slot.cancel() } else { slot.abandonUpstream() } }
        for slot in given.slots { slot.cancel() }
    }
}

/// The numbers of waiting inner sources at which the outer source is paused, and resumed. An inner source can be as heavy as a connection.
private enum LimitedMergeBounds {
    static var high: Int { 16 }
    static var low: Int { 8 }
}
