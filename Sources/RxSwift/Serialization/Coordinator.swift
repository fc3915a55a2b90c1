import RxPrimitives

// How an operator with several sources is built:
//
//   source 1 ─> LaneSink ─┐                        each LaneSink holds its Lane and the Coordinator; the Coordinator holds
//   source 2 ─> LaneSink ─┼─> Coordinator ─> sink   the Lanes, never the LaneSinks: cancelling a Lane cuts the only circle
//   source 3 ─> LaneSink ─┘                        a source is part of.
//
// A lane keeps what the operator remembers of one source. The coordinator's serializer brings the events of all sources into one
// order: if it is idle, an event is handled at once, without a queue or an allocation; if it is busy (another thread, or a user's
// closure further up this thread's stack), the event is enqueued. So all state in lanes and coordinators belongs to the drainer, and
// user code runs on the drainer, but never inside a mutating method of a stored struct.

/// The stage where the events of several sources come together and are turned into those of one downstream.
///
/// Knows nothing of the elements; subclasses do.
@usableFromInline
class Coordinator: Stage, SerializerTarget {
    final let serializer = Serializer()

    /// The places of the sources, in order of subscription.
    final let lanes: [Lane]

    private final let terminalSink: TerminalSink

    private final let attachment = Attachment(begun: true)

    /// Whether a source is cancelled before its terminal event is handled, as in RxSwift's `zip` and `combineLatest`.
    fileprivate final let endsSourcesFirst: Bool

    /// For diagnostics.
    package var operatorName: StaticString { abstractMethod() }

    init(lanes: [Lane], endsSourcesFirst: Bool = false, downstream: TerminalSink) {
        self.endsSourcesFirst = endsSourcesFirst
        self.lanes = lanes
        self.terminalSink = downstream
        super.init()
    }

    deinit {
        if serializer.hasPending { serializer.discardPending(TargetReference(self)) }
    }

    /// A source completed. Only by the drainer, once per lane.
    func completed(_ lane: Lane) { abstractMethod() }

    /// All sources have been attached, in the order of their lanes.
    final func attached() {
        if attachment.end() { cancelLanes() }
    }

    @usableFromInline
    override final func cancel() {
        guard takeUpstream() != nil else { return }
        serializer.close(TargetReference(self))
        guard attachment.postpones() else { return cancelLanes() }
        // The source that is being attached ends now, it may be in a loop; those to come end as soon as they are linked.
        let attaching = lanes.lastIndex { !$0.isUnlinked } ?? 0
        // Closures of those that are put off must not run meanwhile (law L1).
        for lane in lanes[..<attaching] { lane.quiesceUpstream() }
        for lane in lanes[attaching...] { lane.cancel() }
    }

    private final func cancelLanes() {
        for lane in lanes { lane.cancel() }
    }

    package final override func quiesce() -> UInt {
        // Closed: it has ended by itself, or was here before.
        if serializer.isClosed { return 0 }
        serializer.close(TargetReference(self))
        for lane in lanes { lane.quiesceUpstream() }
        return 0
    }

    package final override func quiesceBoundary() -> UInt { quiesce() }

    // MARK: By the drainer

    /// Ends the sequence, and then what is left of the sources.
    final func complete() {
        if isCancelled || serializer.isClosed { return }
        serializer.closeFromInside()
        quiesceOtherSources()
        terminalSink.completed()
        cancel()
    }

    /// Ends the sequence with an error, which a source sent or a user's closure threw, and then what is left of the sources.
    final func fail(_ error: any Swift.Error) {
        if isCancelled || serializer.isClosed { return }
        serializer.closeFromInside()
        quiesceOtherSources()
        terminalSink.error(error)
        cancel()
    }

    /// Quiesces the sources that have not sent a terminal event.
    private final func quiesceOtherSources() {
        for lane in lanes where !lane.isDone { lane.quiesceUpstream() }
    }

    /// Ends the work of the drainer.
    @inline(__always)
    final func leave() {
        if !serializer.tryLeave() { finishLeaving() }
    }

    @inline(never)
    private final func finishLeaving() { serializer.finishLeaving(TargetReference(self)) }

    package final func run(_ node: UnsafeMutablePointer<DrainNode>) {
        let (lane, event) = LaneNode.read(node)
        switch event {
        case .element:
            lane.accept(node, for: self)
        case .error(let error):
            LaneNode.free(node)
            lane.isDone = true
            fail(error)
        case .completed:
            LaneNode.free(node)
            accept(completionOf: lane)
        }
    }

    /// A source completed. Only by the drainer.
    final func accept(completionOf lane: Lane) {
        if lane.isDone { return }
        lane.isDone = true
        completed(lane)
    }

    package final func discard(_ node: UnsafeMutablePointer<DrainNode>) {
        let (lane, event) = LaneNode.read(node)
        if case .element = event { lane.drop(node) } else { LaneNode.free(node) }
    }

    package final func drainAsDeputy() { serializer.drainAsDeputy(TargetReference(self)) }
}

/// What a coordinator keeps of one source: the link to it, and (in subclasses) what it remembers of its elements.
class Lane: Stage {
    /// Whether the source has ended. Only by the coordinator's drainer.
    final var isDone = false

    /// Handles the element a node carries, and frees the node. Only by the coordinator's drainer.
    func accept(_ node: UnsafeMutablePointer<DrainNode>, for coordinator: Coordinator) { abstractMethod() }

    /// Frees a node and the element it carries.
    func drop(_ node: UnsafeMutablePointer<DrainNode>) { abstractMethod() }

    /// Whether a source that completes is cancelled behind what `do` runs after that, because in RxSwift it ends by itself (law L11).
    var endsBehindClosures: Bool { false }

    /// Whether the lane keeps no element. Only by the coordinator's drainer.
    var isEmpty: Bool { true }

    /// Releases the elements the lane keeps. Only by the coordinator's drainer.
    func removeAll() {}
}

/// A lane for a source of a known type.
class ElementLane<Element>: Lane {
    /// Handles an element. Only by the coordinator's drainer.
    func accept(_ element: Element, for coordinator: Coordinator) { abstractMethod() }

    override final func accept(_ node: UnsafeMutablePointer<DrainNode>, for coordinator: Coordinator) {
        accept(LaneNode.takeElement(node, Element.self), for: coordinator)
    }

    override final func drop(_ node: UnsafeMutablePointer<DrainNode>) {
        _ = LaneNode.takeElement(node, Element.self)
    }
}

/// Receives the events of one of a coordinator's sources.
final class LaneSink<Element>: Sink<Element> {
    private let lane: ElementLane<Element>
    private let coordinator: Coordinator

    init(lane: ElementLane<Element>, coordinator: Coordinator) {
        self.lane = lane
        self.coordinator = coordinator
        super.init()
    }

    override func link(_ stage: Stage) { lane.link(stage) }

    override func cancel() { lane.cancel() }

    override func next(_ element: Element) {
        if coordinator.serializer.tryEnter() {
            lane.accept(element, for: coordinator)
            coordinator.leave()
        } else {
            enqueue(element)
        }
    }

    @inline(never)
    private func enqueue(_ element: Element) {
        coordinator.serializer.submit(LaneNode.make(element, of: lane), to: TargetReference(coordinator))
    }

    // The terminal event may have to wait for the drainer. The source has ended all the same.

    override func error(_ error: any Swift.Error) {
        if coordinator.endsSourcesFirst { lane.cancel() }
        if coordinator.serializer.tryEnter() {
            lane.isDone = true
            coordinator.fail(error)
            coordinator.leave()
        } else {
            submit(.error(error))
        }
        lane.cancel()
    }

    override func completed() {
        tellCompleted()
        lane.cancel()
    }

    override func completed(then after: () -> Void) {
        tellCompleted()
        if !lane.endsBehindClosures { lane.cancel() }
        after()
        if lane.endsBehindClosures { lane.cancel() }
    }

    @inline(__always)
    private func tellCompleted() {
        if coordinator.endsSourcesFirst { lane.cancel() }
        if coordinator.serializer.tryEnter() {
            coordinator.accept(completionOf: lane)
            coordinator.leave()
        } else {
            submit(.completed)
        }
    }

    @inline(never)
    private func submit(_ stop: PendingEvent) {
        coordinator.serializer.submit(LaneNode.make(stop: stop, of: lane), to: TargetReference(coordinator))
    }
}
