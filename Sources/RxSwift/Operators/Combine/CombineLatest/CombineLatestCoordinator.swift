/// The part of combineLatest that does not depend on the types and the number of the sources.
@usableFromInline
class CombineLatestCoordinator: Coordinator {
    /// The state of the operator, used only by the drainer.
    private final var machine: CombineLatestStateMachine

    override final var operatorName: StaticString { "combineLatest" }

    override init(slots: [SourceSlot], endsSourcesFirst: Bool = true, downstream: TerminalSink) {
        machine = CombineLatestStateMachine(sources: slots.count)
        super.init(slots: slots, endsSourcesFirst: endsSourcesFirst, downstream: downstream)
    }

    /// Combines the slots' latest elements and passes the result on. Only the drainer calls this, when each slot has an element.
    func emit() { abstractMethod() }

    @inline(__always)
    final func received(first: Bool) {
        act(machine.received(first: first))
    }

    override final func completed(_ slot: SourceSlot) {
        act(machine.sourceCompleted())
    }

    @inline(__always)
    private final func act(_ action: CombineLatestStateMachine.Action) {
        switch action {
        case .wait: break
        case .emit: emit()
        case .complete: complete()
        }
    }
}

/// The slot of one source of a combineLatest.
final class CombineLatestSlot<Element>: LatestSlot<Element> {
    override func accept(_ element: Element, for coordinator: Coordinator) {
        let first = replace(by: element)
        unsafeDowncast(coordinator, to: CombineLatestCoordinator.self).received(first: first)
    }
}
