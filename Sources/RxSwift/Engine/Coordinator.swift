import RxPrimitives

// How an operator with several sources is built:
//
//   source 1 ─> LaneSink ─┐                        each LaneSink holds its Lane and the Coordinator; the Coordinator holds
//   source 2 ─> LaneSink ─┼─> Coordinator ─> sink   the Lanes, never the LaneSinks: cancelling a Lane cuts the only circle
//   source 3 ─> LaneSink ─┘                        a source is part of.
//
// A lane keeps what the operator remembers of one source. The coordinator's drain loop serializes the events of all sources:
// who finds it free handles its event at once, without a queue or an allocation; who finds it busy (another thread, or a user's
// closure further up this thread's stack) leaves a node for whoever is inside. So all state in lanes and coordinators belongs
// to the one inside the loop, and user code runs inside the loop, but never inside a mutating method of a stored struct.

/// The stage where the events of several sources come together and are turned into those of one downstream.
///
/// Knows nothing of the elements; subclasses do.
@usableFromInline
class Coordinator: Stage {
    final let loop = DrainLoop()

    /// The places of the sources, in order of subscription.
    final let lanes: [Lane]

    private final let terminalSink: TerminalSink

    /// For diagnostics.
    var operatorName: StaticString { abstractMethod() }

    init(lanes: [Lane], downstream: TerminalSink) {
        self.lanes = lanes
        self.terminalSink = downstream
        super.init()
    }

    /// A source completed. Only inside the loop, once per lane; the lane's subscription is over.
    func completed(_ lane: Lane) { abstractMethod() }

    @usableFromInline
    override final func cancel() {
        guard takeUpstream() != nil else { return }
        _ = loop.close()
        for lane in lanes { lane.cancel() }
    }

    // MARK: Inside the loop

    /// Ends the sequence. The downstream cancels this stage, which ends what is left of the sources.
    final func complete() {
        if isCancelled { return }
        _ = loop.close()
        terminalSink.completed()
    }

    /// Ends the sequence with an error, which a source sent or a user's closure threw.
    final func fail(_ error: any Swift.Error) {
        if isCancelled { return }
        _ = loop.close()
        terminalSink.error(error)
    }

    private final func perform(_ signal: LaneSignal, of lane: Lane) {
        switch signal {
        case .element: break
        case .error(let error): fail(error)
        case .completed:
            if lane.isDone { return }
            lane.isDone = true
            lane.cancel()
            completed(lane)
        }
    }

    /// Handles what was left meanwhile, until there is nothing more and the loop is free.
    @inline(never)
    final func drain() {
        repeat {
            var pending = loop.takePending()
            while let node = pending {
                pending = node.pointee.next
                let (lane, signal) = LaneNode.read(node)
                if case .element = signal {
                    if loop.isClosed { lane.drop(node) } else { lane.accept(node, for: self) }
                } else {
                    LaneNode.free(node)
                    if !loop.isClosed { perform(signal, of: lane) }
                }
            }
            // Closed: what was left before that is dropped in the next round, and nothing comes after it.
        } while !loop.tryLeave() && !(loop.isClosed && !loop.hasPending)
    }

    // MARK: From any thread

    /// Takes a terminal event of a source.
    final func submit(_ signal: LaneSignal, of lane: Lane) {
        let node = LaneNode.make(signal, of: lane)
        switch loop.enterOrPush(node) {
        case .entered:
            LaneNode.free(node)
            perform(signal, of: lane)
            if !loop.tryLeave() { drain() }
        case .pending(let count): Backlog.noticed(count, at: operatorName)
        case .closed: LaneNode.free(node)
        }
    }
}

/// What a coordinator keeps of one source: the link to it, and (in subclasses) what it remembers of its elements.
class Lane: Stage {
    /// Whether the source completed. Only inside the coordinator's loop.
    final var isDone = false

    /// Handles the element a node carries, and frees the node. Only inside the coordinator's loop.
    func accept(_ node: UnsafeMutablePointer<DrainNode>, for coordinator: Coordinator) { abstractMethod() }

    /// Frees a node and the element it carries.
    func drop(_ node: UnsafeMutablePointer<DrainNode>) { abstractMethod() }

    /// Whether the lane keeps no element. Only inside the coordinator's loop.
    var isEmpty: Bool { true }

    /// Lets go of the elements the lane keeps. Only inside the coordinator's loop.
    func removeAll() {}
}

/// A lane for a source of a known type.
class ElementLane<Element>: Lane {
    /// Handles an element. Only inside the coordinator's loop.
    func accept(_ element: Element, for coordinator: Coordinator) { abstractMethod() }

    override final func accept(_ node: UnsafeMutablePointer<DrainNode>, for coordinator: Coordinator) {
        accept(LaneElementNode<Element>.take(node), for: coordinator)
    }

    override final func drop(_ node: UnsafeMutablePointer<DrainNode>) {
        _ = LaneElementNode<Element>.take(node)
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
        if coordinator.loop.tryEnter() {
            lane.accept(element, for: coordinator)
            if !coordinator.loop.tryLeave() { coordinator.drain() }
        } else {
            leaveBehind(element)
        }
    }

    @inline(never)
    private func leaveBehind(_ element: Element) {
        let node = LaneElementNode.make(element, of: lane)
        switch coordinator.loop.enterOrPush(node) {
        case .entered:
            lane.accept(node, for: coordinator)
            if !coordinator.loop.tryLeave() { coordinator.drain() }
        case .pending(let count): Backlog.noticed(count, at: coordinator.operatorName)
        case .closed: lane.drop(node)
        }
    }

    override func error(_ error: any Swift.Error) { coordinator.submit(.error(error), of: lane) }

    override func completed() { coordinator.submit(.completed, of: lane) }
}
