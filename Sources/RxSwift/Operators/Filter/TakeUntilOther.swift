extension ObservableType {
    /// Passes elements on until another sequence sends one, and completes then.
    ///
    /// Subscribes to the other sequence first. It has no effect when it completes without an element; its error ends this
    /// sequence.
    /// - Parameter other: its first element ends the sequence.
    /// - SeeAlso: [TakeUntil](https://reactivex.io/documentation/operators/takeuntil.html)
    public func take(until other: some ObservableType) -> Observable<Element> {
        TakeUntilOther(source: asObservable(), other: other.asObservable())
    }

    /// Passes elements on until another sequence sends one, and completes then.
    @available(*, deprecated, renamed: "take(until:)")
    public func takeUntil(_ other: some ObservableType) -> Observable<Element> {
        take(until: other)
    }
}

private final class TakeUntilOther<Element, Other>: Observable<Element> {
    private let source: Observable<Element>
    private let other: Observable<Other>

    init(source: Observable<Element>, other: Observable<Other>) {
        self.source = source
        self.other = other
        super.init()
    }

    override func attach(_ downstream: Sink<Element>) {
        let otherLane = TakeUntilOtherLane<Other>()
        let coordinator = TakeUntilCoordinator(otherLane: otherLane, downstream: downstream)
        downstream.link(coordinator)
        other.attach(LaneSink(lane: otherLane, coordinator: coordinator))
        source.attach(LaneSink(lane: coordinator.source, coordinator: coordinator))
        coordinator.attached()
    }
}

private final class TakeUntilCoordinator<Element>: Coordinator {
    let source: PassingLane<Element>

    package override var operatorName: StaticString { "take(until:)" }

    init(otherLane: Lane, downstream: Sink<Element>) {
        source = PassingLane(downstream: downstream)
        super.init(lanes: [otherLane, source], downstream: downstream)
    }

    override func completed(_ lane: Lane) {
        if lane === source { complete() }
    }
}

private final class TakeUntilOtherLane<Other>: ElementLane<Other> {
    override func accept(_ element: Other, for coordinator: Coordinator) { coordinator.complete() }
}
