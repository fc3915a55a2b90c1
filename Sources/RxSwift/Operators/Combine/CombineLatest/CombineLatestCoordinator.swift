/// The part of combineLatest that does not depend on the type of its results.
@usableFromInline
class CombineLatestCoordinator: Coordinator {
    /// The state of the operator, used only by the drainer.
    private final var machine: CombineLatestStateMachine

    override final var operatorName: StaticString { "combineLatest" }

    override init(slots: [SourceSlot], endsSourcesFirst: Bool, downstream: AnySink) {
        machine = CombineLatestStateMachine(sources: slots.count)
        super.init(slots: slots, endsSourcesFirst: endsSourcesFirst, downstream: downstream)
    }

    /// Combines the slots' latest elements and passes the result on. Only the drainer calls this, when each slot has an element.
    func emit() { abstractMethod() }

    /// Returns the latest element of a source.
    ///
    /// - Parameter index: the position of a source whose type is `Element`.
    @inlinable @inline(__always)
    final func latest<Element>(_ index: Int) -> Element {
        unsafeDowncast(slots[index], to: CombineLatestSlot<Element>.self).latest
    }

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

/// The stage of combineLatest: combines the elements with a closure.
@usableFromInline
final class CombiningLatestCoordinator<Result>: CombineLatestCoordinator {
    private let combine: (CombineLatestCoordinator) throws -> Result
    private let downstream: Sink<Result>

    /// - Parameter combine: reads the latest element of each slot.
    required init(
        slots: [SourceSlot], endsSourcesFirst: Bool = true,
        combine: @escaping (CombineLatestCoordinator) throws -> Result, downstream: Sink<Result>
    ) {
        self.combine = combine
        self.downstream = downstream
        super.init(slots: slots, endsSourcesFirst: endsSourcesFirst, downstream: downstream)
    }

    override func emit() {
        do {
            let result = try combine(self)
            if !isCancelled { downstream.next(result) }
        } catch {
            fail(error)
        }
    }
}

/// The slot of one source of a combineLatest.
@usableFromInline
final class CombineLatestSlot<Element>: LatestSlot<Element> {
    override func accept(_ element: Element, for coordinator: Coordinator) {
        let first = replace(by: element)
        unsafeDowncast(coordinator, to: CombineLatestCoordinator.self).received(first: first)
    }
}
