import RxPrimitives

/// The stage of an operator with two sources: a sequence, and a timer.
///
/// Brings both together in a serializer, so that what the operator does upon an event and upon a tick never overlaps (laws L2, L3)
/// and happens in order of acceptance. Cost of an uncontended event: two atomic read-modify-writes.
@usableFromInline
class TimedSink<Element, Output>: Sink<Element>, RestartableTimerTarget, SerializerTarget {
    final let downstream: Sink<Output>
    final let timer: RestartableTimer
    final let settings: TimeSettings
    private final let serializer = Serializer()

    /// Whether the source has sent its terminal event. Only by the drainer.
    private final var hasSourceEnded = false

    /// How often the tick of that generation went back to the scheduler. Only by the drainer.
    private final var returns = 0
    private final var returnedGeneration = 0
    /// With the delays between them 16 ms in sum.
    private static var mostReturns: Int { 70 }
    /// A setting that comes meanwhile has to wait for as long as this, at worst.
    private static var longestDelay: Int { 256 }

    package var operatorName: StaticString { "timed operator" }

    required init(settings: TimeSettings, downstream: Sink<Output>) {
        self.downstream = downstream
        self.settings = settings
        timer = RestartableTimer.on(settings.scheduler)
        super.init()
        timer.wakes(self)
    }

    deinit {
        if serializer.hasPending { serializer.discardPending(TargetReference(self)) }
    }

    /// What happens before the source is subscribed to. The downstream is linked.
    func begin() {}

    // What the operator does. Only by the drainer.

    func receive(_ element: Element) { abstractMethod() }

    func receive(error: any Swift.Error) { fail(error) }

    func receiveCompleted() { finish() }

    func receiveTick(_ generation: Int) { abstractMethod() }

    /// Sends the downstream its last event, and ends the source. Only by the drainer.
    final func finish() {
        serializer.closeFromInside()
        if !hasSourceEnded { quiesceSources() }
        downstream.completed()
        terminate()
    }

    /// Sends the downstream its last event, and ends the source. Only by the drainer.
    final func fail(_ error: any Swift.Error) {
        serializer.closeFromInside()
        if !hasSourceEnded { quiesceSources() }
        downstream.error(error)
        terminate()
    }

    /// Takes no more events and ticks. Only by the drainer.
    final func shut() { serializer.closeFromInside() }

    /// Whether something was enqueued while this thread was draining.
    final var isAwaited: Bool { serializer.hasPending }

    @usableFromInline
    override func cancel() { terminate() }

    package override func quiesce() -> UInt {
        serializer.close(TargetReference(self))
        quiesceSources()
        return 0
    }

    package override func quiesceBoundary() -> UInt { quiesce() }

    /// Quiesces what is above.
    func quiesceSources() { quiesceUpstream() }

    /// Ends the source and the timer.
    func terminate() {
        guard let source = takeUpstream() else { return }
        serializer.close(TargetReference(self))
        timer.stop()
        source.take()?.cancel()
    }

    /// Ends a source that has sent its terminal event, which may have to wait for the drainer.
    func sourceEnded() { endSource() }

    // MARK: From any thread

    @usableFromInline
    override func next(_ element: Element) {
        if serializer.tryEnter() {
            receive(element)
            leave()
        } else {
            enqueue(element)
        }
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
        // Not by way of `submit`, whose frame is large: a long chain completes stage in stage (law L8).
        if serializer.tryEnter() {
            hasSourceEnded = true
            receiveCompleted()
            leave()
        } else {
            submit(.completed)
        }
    }

    final func tick(_ generation: Int) { submit(.tick(generation)) }

    /// Does `body` if the serializer is idle.
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
    private final func finishLeaving() { serializer.finishLeaving(TargetReference(self)) }

    /// Apart from `next` because naming `TimedWork` costs a look-up of type metadata, also on the path that does not need it.
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
            serializer.submit(TimedWorkNode.make(work), to: TargetReference(self))
        }
    }

    private final func perform(_ work: TimedWork<Element>) {
        switch work {
        case .next(let element): receive(element)
        case .error(let error):
            hasSourceEnded = true
            receive(error: error)
        case .completed:
            hasSourceEnded = true
            receiveCompleted()
        case .tick(let generation):
            returns = 0
            receiveTick(generation)
        }
    }

    // MARK: SerializerTarget

    package final func run(_ node: UnsafeMutablePointer<DrainNode>) {
        let producer = node.pointee.producer
        let work = TimedWorkNode<Element>.take(node)
        if case .tick(let generation) = work, producer != CurrentThread.identity, let delay = delayOfReturn(generation)
        {
            return timer.wakeAgain(generation, after: delay)
        }
        perform(work)
    }

    /// When a tick that met another thread here is to try again: what it sends comes on a thread of the scheduler, as in RxSwift, where the
    /// tick waits for the lock. `nil` when it has tried often enough: a source that is always faster delays it by 16 ms at most.
    ///
    /// It waits twice as long each time, up to a limit. At once would be too early: the thread that gives it back is still in the serializer.
    private final func delayOfReturn(_ generation: Int) -> RxTimeInterval? {
        if generation != returnedGeneration { (returnedGeneration, returns) = (generation, 0) }
        if returns == TimedSink.mostReturns { return nil }
        defer { returns += 1 }
        return .microseconds(min(1 << min(returns, 16), TimedSink.longestDelay))
    }

    package final func discard(_ node: UnsafeMutablePointer<DrainNode>) { _ = TimedWorkNode<Element>.take(node) }

    package final func drainAsDeputy() { serializer.drainAsDeputy(TargetReference(self)) }
}

/// What comes to an operator with a timer.
private enum TimedWork<Element> {
    case next(Element)
    case error(any Swift.Error)
    case completed
    case tick(Int)
}

/// Work that waits at a serializer.
private struct TimedWorkNode<Element> {
    /// First, so that a pointer to it is a pointer to the node.
    private var head: DrainNode
    private var work: TimedWork<Element>

    static func make(_ work: TimedWork<Element>) -> UnsafeMutablePointer<DrainNode> {
        let node = UnsafeMutablePointer<TimedWorkNode>.allocate(capacity: 1)
        node.initialize(to: TimedWorkNode(head: DrainNode(), work: work))
        return UnsafeMutableRawPointer(node).assumingMemoryBound(to: DrainNode.self)
    }

    static func take(_ node: UnsafeMutablePointer<DrainNode>) -> TimedWork<Element> {
        let node = UnsafeMutableRawPointer(node).assumingMemoryBound(to: TimedWorkNode.self)
        defer { node.deallocate() }
        return node.move().work
    }
}
