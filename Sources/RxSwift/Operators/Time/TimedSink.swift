// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The stage of an operator with two sources: a sequence, and a timer.
///
/// Brings both together in a serializer, so that the operator's actions upon an event and upon a tick never overlap (laws L2, L3)
/// and happen in order of acceptance. Cost of an uncontended event: two atomic read-modify-writes.
@usableFromInline
class TimedSink<Element, Output>: Sink<Element>, RestartableTimerTarget, SerializerTarget {
    final let downstream: Sink<Output>
    final let timer: RestartableTimer
    final let interval: RxTimeInterval
    private final let serializer = Serializer()

    /// True once the source has sent its terminal event. Used only by the drainer.
    private final var hasSourceEnded = false
    /// 1 once the scheduler has ended, so that an element that comes now is too late.
    private final let isLost = AtomicWord(0)
    /// The error of a scheduler that has ended, with which a late element is answered. Used only by the drainer.
    private final var lossError: (any Swift.Error)?
    /// True if an element came before that error did. Used only by the drainer.
    private final var hasLateElement = false

    /// The number of times that the tick of `returnedGeneration` went back to the scheduler, and when it first did. Used only by the drainer.
    private final var returns = 0
    private final var returnedGeneration = 0
    private final var firstReturn: UInt64 = 0
    /// The nanoseconds for which a tick goes back again and again. A time and no number: behind a backlog each return takes long.
    private static var returnTime: UInt64 { 16_000_000 }
    /// The longest delay in microseconds. A setting that comes meanwhile has to wait for as long as this, at worst.
    private static var longestDelay: Int { 256 }
    /// The number of waiting events from which on a tick that keeps its place is run where it is.
    private static var mostEventsBehindTick: Int { 64 }

    package var operatorName: StaticString { "timed operator" }

    package final var elementsWeigh: Bool { isWeighted(Element.self) }

    required init(settings: TimeSettings, downstream: Sink<Output>) {
        self.downstream = downstream
        interval = settings.interval
        timer = RestartableTimer.on(settings.scheduler)
        super.init()
        timer.setTarget(self)
    }

    deinit {
        if serializer.hasPending { serializer.discardPending(AnySerializerTarget(self)) }
    }

    /// The stage that the downstream cancels.
    var stageForDownstream: Stage { self }

    /// Runs before the source is subscribed to. The downstream is linked.
    func begin() {}

    // The drainer calls these, which do the operator's work.

    func receive(_ element: Element) { abstractMethod() }

    func receive(error: any Swift.Error) { fail(error) }

    func receiveCompleted() { finish() }

    func receiveTick(_ generation: Int) { abstractMethod() }

    /// Handles that a tick has its place here among the events, but goes back to the scheduler: `receiveTick` follows, behind other events.
    func tickGoesBack() {}

    /// True if a tick behind which many events wait is not to lose its place.
    var keepsPlaceOfTick: Bool { false }

    /// True if something waits for a tick, and the stage fails at once if none can come any more. Otherwise it fails at the next element.
    var awaitsTick: Bool { false }

    /// Handles that the scheduler has ended before the tick.
    func receiveLoss(_ error: any Swift.Error) {
        if awaitsTick || hasLateElement { receive(error: error) } else { lossError = error }
    }

    /// Sends the downstream its last event, and ends the source. Only the drainer calls this.
    final func finish() {
        serializer.closeFromInside()
        if !hasSourceEnded { quiesceSources() }
        downstream.completed()
        terminate()
    }

    /// Sends the downstream its last event, and ends the source. Only the drainer calls this.
    final func fail(_ error: any Swift.Error) {
        serializer.closeFromInside()
        if !hasSourceEnded { quiesceSources() }
        downstream.error(error)
        terminate()
    }

    /// Takes no more events and ticks. Only the drainer calls this.
    final func shut() { serializer.closeFromInside() }

    /// True if work was enqueued while this thread was draining.
    final var isAwaited: Bool { serializer.hasPending }

    @usableFromInline
    override func cancel() { terminate() }

    package override func quiesce() -> UInt {
        serializer.close(AnySerializerTarget(self))
        quiesceSources()
        return 0
    }

    package override func quiesceBoundary() -> UInt { quiesce() }

    private final func quiesceSources() {
        quiesceUpstream()
        forEachFurtherLink { $0.quiesceUpstream() }
    }

    /// Ends the source and the timer.
    func terminate() {
        guard let source = takeUpstream() else { return }
        stop()
        source.take()?.cancel()
    }

    /// Not inlined, so that `terminate`, which stays on the stack while the source is cancelled, is small (law L8).
    @inline(never)
    private final func stop() {
        serializer.close(AnySerializerTarget(self))
        timer.stop()
    }

    /// Ends a source that has sent its terminal event, which may have to wait for the drainer.
    func sourceEnded() { endSource() }

    // MARK: From any thread

    @usableFromInline
    override func next(_ element: Element) {
        if isLost.loadRelaxed() != 0 { return cameLate() }
        if serializer.tryEnter() {
            receive(element)
            leave()
        } else {
            enqueue(element)
        }
    }

    @inline(never)
    private final func cameLate() { submit(.lateElement) }

    /// Fails. If the error has not come, the stage waits for it: a subscriber that tries again at each error would never let the source return.
    private final func receiveLateElement() {
        if let error = lossError.take() { receive(error: error) } else { hasLateElement = true }
    }

    private final func sourceCompleted() {
        hasSourceEnded = true
        if !hasLateElement { receiveCompleted() }
    }

    @usableFromInline
    override func error(_ error: any Swift.Error) {
        if serializer.tryEnter() {
            hasSourceEnded = true
            receive(error: error)
            leave()
        } else {
            submit(.error(error))
        }
        sourceEnded()
    }

    @usableFromInline
    override func completed() {
        acceptCompletion()
        sourceEnded()
    }

    final func acceptCompletion() {
        // This does not call `submit`, whose frame is large: a long chain completes stage in stage (law L8).
        if serializer.tryEnter() {
            sourceCompleted()
            leave()
        } else {
            submit(.completed)
        }
    }

    final func tick(_ generation: Int) { submit(.tick(generation)) }

    final func noteLoss() { isLost.storeRelaxed(1) }

    final func timerWasLost(_ error: any Swift.Error) { submit(.loss(error)) }

    /// Runs `body` if the serializer is idle.
    final func enter(_ body: () -> Void) {
        if serializer.tryEnter() {
            body()
            leave()
        }
    }

    @inline(__always)
    private final func leave() {
        if !serializer.tryLeave() { finishLeaving() }
    }

    @inline(never)
    private final func finishLeaving() { serializer.finishLeaving(AnySerializerTarget(self)) }

    /// Separate from `next` because naming `TimedWork` costs a look-up of type metadata, also on the path that does not need it.
    @inline(never)
    private final func enqueue(_ element: Element) {
        submit(.next(element))
    }

    @inline(never)
    private final func submit(_ work: TimedWork<Element>) {
        if serializer.tryEnter() {
            perform(work)
            leave()
        } else {
            serializer.submit(WorkNode.make(work), to: AnySerializerTarget(self))
        }
    }

    private final func perform(_ work: TimedWork<Element>) {
        switch work {
        case .next(let element): receive(element)
        case .lateElement: receiveLateElement()
        case .error(let error):
            hasSourceEnded = true
            receive(error: error)
        case .completed: sourceCompleted()
        case .tick(let generation):
            returns = 0
            receiveTick(generation)
        case .loss(let error): receiveLoss(error)
        }
    }

    // Does nothing while another thread delivers: the source will tell once more.
    package override func upstreamGoesOn() { enter { downstream.upstreamGoesOn() } }

    package override func pauses(_ source: any PausableSource) -> Bool {
        serializer.pauses(source, for: AnySerializerTarget(self))
    }

    // MARK: SerializerTarget

    package func downstreamPauses(_ source: any PausableSource) -> Bool { downstream.pauses(source) }

    package final func run(_ node: UnsafeMutablePointer<DrainNode>) {
        perform(WorkNode<TimedWork<Element>>.take(node))
    }

    package final func sendsBack(_ node: UnsafeMutablePointer<DrainNode>) -> Bool {
        guard case .tick(let generation) = WorkNode<TimedWork<Element>>.look(node) else { return false }
        if keepsPlaceOfTick, serializer.backlogCount > Self.mostEventsBehindTick { return false }
        guard let delay = delayOfReturn(generation) else { return false }
        tickGoesBack()
        timer.wakeAgain(generation, after: delay)
        return true
    }

    /// Returns the delay after which a tick that met another thread here tries again, or nil when it has tried often enough.
    ///
    /// The elements that the tick sends then come on a thread of the scheduler, as in RxSwift, where the tick waits for the lock. A
    /// source that is always faster delays the tick by 16 ms at most.
    ///
    /// The delay doubles each time, up to a limit. A retry at once would be too early: the thread that returns the tick is still in
    /// the serializer.
    private final func delayOfReturn(_ generation: Int) -> RxTimeInterval? {
        let now = MonotonicClock.now()
        if generation != returnedGeneration || returns == 0 {
            (returnedGeneration, returns, firstReturn) = (generation, 0, now)
        }
        if now - firstReturn >= TimedSink.returnTime { return nil }
        defer { returns += 1 }
        return .microseconds(min(1 << min(returns, 16), TimedSink.longestDelay))
    }

    package final func discard(_ node: UnsafeMutablePointer<DrainNode>) { _ = WorkNode<TimedWork<Element>>.take(node) }

    package func serializerDidClose() {}

    package final func drainAsDeputy() { serializer.drainAsDeputy(AnySerializerTarget(self)) }
}

/// An event or a tick that an operator with a timer receives.
private enum TimedWork<Element> {
    case next(Element)
    case lateElement
    case error(any Swift.Error)
    case completed
    case tick(Int)
    case loss(any Swift.Error)
}
