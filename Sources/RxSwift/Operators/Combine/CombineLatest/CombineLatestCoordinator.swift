/// CombineLatest's part that does not depend on the types and the number of the sources.
@usableFromInline
class CombineLatestCoordinator: Coordinator {
    /// Only inside the loop.
    private final var decision: CombineLatestDecision

    override final var operatorName: StaticString { "combineLatest" }

    override init(lanes: [Lane], endsSourcesFirst: Bool = true, downstream: TerminalSink) {
        decision = CombineLatestDecision(sources: lanes.count)
        super.init(lanes: lanes, endsSourcesFirst: endsSourcesFirst, downstream: downstream)
    }

    /// Combines the lanes' latest elements and passes the result on. Only inside the loop, when each lane has one.
    func emit() { abstractMethod() }

    @inline(__always)
    final func received(first: Bool) {
        act(decision.received(first: first))
    }

    override final func completed(_ lane: Lane) {
        act(decision.sourceCompleted())
    }

    @inline(__always)
    private final func act(_ action: CombineLatestDecision.Action) {
        switch action {
        case .wait: break
        case .emit: emit()
        case .complete: complete()
        }
    }
}

/// One source of a combineLatest.
final class CombineLatestLane<Element>: LatestLane<Element> {
    override func accept(_ element: Element, for coordinator: Coordinator) {
        let first = replace(by: element)
        unsafeDowncast(coordinator, to: CombineLatestCoordinator.self).received(first: first)
    }
}
