extension ObservableType {
    /// Drops elements until another sequence sends one, and passes them on from then.
    ///
    /// Subscribes to this sequence first. If it completes before the other has sent an element, nothing is sent at all, not even
    /// `completed`. An error of either ends the sequence.
    /// - Parameter other: its first element opens the way.
    /// - SeeAlso: [SkipUntil](https://reactivex.io/documentation/operators/skipuntil.html)
    public func skip(until other: some ObservableType) -> Observable<Element> {
        SkipUntil(source: asObservable(), other: other.asObservable())
    }

    /// Drops elements until another sequence sends one, and passes them on from then.
    @available(*, deprecated, renamed: "skip(until:)")
    public func skipUntil(_ other: some ObservableType) -> Observable<Element> {
        skip(until: other)
    }
}

private final class SkipUntil<Element, Other>: Observable<Element> {
    private let source: Observable<Element>
    private let other: Observable<Other>

    init(source: Observable<Element>, other: Observable<Other>) {
        self.source = source
        self.other = other
        super.init()
    }

    override func attach(_ downstream: Sink<Element>) {
        let source = PassingLane(downstream: downstream, isOpen: false)
        let coordinator = SkipUntilCoordinator(
            source: source, other: SkipUntilOtherLane<Element, Other>(source: source), downstream: downstream)
        downstream.link(coordinator)
        self.source.attach(LaneSink(lane: source, coordinator: coordinator))
        other.attach(LaneSink(lane: coordinator.other, coordinator: coordinator))
    }
}

private final class SkipUntilCoordinator<Element, Other>: Coordinator {
    private let source: PassingLane<Element>
    let other: SkipUntilOtherLane<Element, Other>

    override var operatorName: StaticString { "skip(until:)" }

    init(source: PassingLane<Element>, other: SkipUntilOtherLane<Element, Other>, downstream: Sink<Element>) {
        self.source = source
        self.other = other
        super.init(lanes: [source, other], downstream: downstream)
    }

    override func completed(_ lane: Lane) {
        guard lane === source else { return }
        if source.isOpen {
            complete()
        } else {
            // The subscription is over without a word: what it holds is released now.
            cancel()
        }
    }
}

private final class SkipUntilOtherLane<Element, Other>: ElementLane<Other> {
    private let source: PassingLane<Element>

    init(source: PassingLane<Element>) {
        self.source = source
        super.init()
    }

    override func accept(_ element: Other, for coordinator: Coordinator) {
        if source.isOpen { return }
        source.isOpen = true
        // One element is all that is wanted of the other sequence.
        cancel()
    }
}
