import RxPrimitives

/// The stage of an operator with two sources: a sequence, and a timer.
///
/// Brings both together in a drain loop, so that what the operator does upon an event and upon a tick never overlaps (laws L2,
/// L3) and happens in order of acceptance. Cost of an event while nobody else is inside: two atomic read-modify-writes.
@usableFromInline
class TimedSink<Element, Output>: Sink<Element>, AlarmTarget {
    final let downstream: Sink<Output>
    final let alarm: Alarm
    final let settings: TimeSettings
    private final let loop = DrainLoop()

    required init(settings: TimeSettings, downstream: Sink<Output>) {
        self.downstream = downstream
        self.settings = settings
        alarm = Alarm.on(settings.scheduler)
        super.init()
        alarm.wakes(self)
    }

    deinit {
        if loop.hasPending { dropPending() }
    }

    /// What happens before the source is subscribed to. The downstream is linked.
    func begin() {}

    // What the operator does. Only inside the loop.

    func receive(_ element: Element) { abstractMethod() }

    func receive(error: any Swift.Error) { fail(error) }

    func receiveCompleted() { finish() }

    func receiveTick(_ generation: Int) { abstractMethod() }

    /// Sends the downstream its last event. Only inside the loop.
    final func finish() {
        _ = loop.close()
        downstream.completed()
    }

    /// Sends the downstream its last event. Only inside the loop.
    final func fail(_ error: any Swift.Error) {
        _ = loop.close()
        downstream.error(error)
    }

    /// Takes no more events and ticks. Only inside the loop.
    final func shut() { _ = loop.close() }

    /// Whether something came while this thread was inside the loop.
    final var isAwaited: Bool { loop.hasPending }

    override func cancel() {
        guard let source = takeUpstream() else { return }
        _ = loop.close()
        alarm.stop()
        source.take()?.cancel()
    }

    // MARK: The way in, from any thread

    override func next(_ element: Element) {
        if loop.tryEnter() {
            receive(element)
            leave()
        } else {
            leaveBehind(element)
        }
    }

    override func error(_ error: any Swift.Error) { offer(.error(error)) }

    override func completed() {
        // Not by way of `offer`, whose frame is large: a long chain completes stage in stage (law L8).
        if loop.tryEnter() {
            receiveCompleted()
            leave()
        } else {
            offer(.completed)
        }
    }

    final func tick(_ generation: Int) { offer(.tick(generation)) }

    /// Does `body` inside the loop if it is free.
    final func enter(_ body: () -> Void) {
        if loop.tryEnter() {
            body()
            leave()
        }
    }

    @inline(__always)
    private final func leave() {
        if !loop.tryLeave() { drain() }
    }

    /// Apart from `next` because naming `TimedWork` costs a look-up of type metadata, also on the path that does not need it.
    @inline(never)
    private final func leaveBehind(_ element: Element) {
        offer(.next(element))
    }

    @inline(never)
    private final func offer(_ work: TimedWork<Element>) {
        if loop.tryEnter() {
            perform(work)
            return leave()
        }
        let node = TimedWorkNode.make(work)
        switch loop.enterOrPush(node) {
        case .entered:
            _ = TimedWorkNode<Element>.take(node)
            perform(work)
            leave()
        case .pending(let count):
            Backlog.noticed(count, at: "timed operator")
        case .closed:
            _ = TimedWorkNode<Element>.take(node)
        }
    }

    private final func perform(_ work: TimedWork<Element>) {
        switch work {
        case .next(let element): receive(element)
        case .error(let error): receive(error: error)
        case .completed: receiveCompleted()
        case .tick(let generation): receiveTick(generation)
        }
    }

    @inline(never)
    private final func drain() {
        repeat {
            var pending = loop.takePending()
            while let node = pending {
                pending = node.pointee.next
                let work = TimedWorkNode<Element>.take(node)
                if !loop.isClosed { perform(work) }
            }
            if loop.isClosed { return }
        } while !loop.tryLeave()
    }

    private final func dropPending() {
        var pending = loop.takePending()
        while let node = pending {
            pending = node.pointee.next
            _ = TimedWorkNode<Element>.take(node)
        }
    }
}

/// What comes to an operator with a timer.
private enum TimedWork<Element> {
    case next(Element)
    case error(any Swift.Error)
    case completed
    case tick(Int)
}

/// Work left at a loop.
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
