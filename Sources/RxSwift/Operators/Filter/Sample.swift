extension ObservableType {
    /// Sends the latest element whenever a sampler sends one, if there is a new one since.
    ///
    /// Subscribes to this sequence first. A sampler that completes counts as one more tick. When this sequence has completed, the
    /// result completes at the sampler's next tick; an error of either ends it at once.
    /// - Parameters:
    ///   - sampler: its elements are the ticks.
    ///   - defaultValue: sent at a tick for which there is no new element. Nil: nothing is sent then.
    /// - SeeAlso: [Sample](https://reactivex.io/documentation/operators/sample.html)
    public func sample(_ sampler: some ObservableType, defaultValue: Element? = nil) -> Observable<Element> {
        Sample(source: asObservable(), sampler: sampler.asObservable(), defaultValue: defaultValue)
    }
}

private final class Sample<Element, Tick>: Observable<Element> {
    private let source: Observable<Element>
    private let sampler: Observable<Tick>
    private let defaultValue: Element?

    init(source: Observable<Element>, sampler: Observable<Tick>, defaultValue: Element?) {
        self.source = source
        self.sampler = sampler
        self.defaultValue = defaultValue
        super.init()
    }

    override func attach(_ downstream: Sink<Element>) {
        let sampler = SampleTickLane<Element, Tick>()
        let coordinator = SampleCoordinator(sampler: sampler, defaultValue: defaultValue, downstream: downstream)
        downstream.link(coordinator)
        source.attach(LaneSink(lane: coordinator.source, coordinator: coordinator))
        self.sampler.attach(LaneSink(lane: sampler, coordinator: coordinator))
        coordinator.attached()
    }
}

private final class SampleCoordinator<Element>: Coordinator {
    let source = LatestLane<Element>()
    private let defaultValue: Element?
    private let downstream: Sink<Element>

    package override var operatorName: StaticString { "sample" }

    init(sampler: Lane, defaultValue: Element?, downstream: Sink<Element>) {
        self.defaultValue = defaultValue
        self.downstream = downstream
        super.init(lanes: [source, sampler], downstream: downstream)
    }

    override func completed(_ lane: Lane) {
        if lane !== source { tick() }
    }

    /// Only inside the loop.
    func tick() {
        if !source.isEmpty {
            downstream.next(source.take())
        } else if let defaultValue {
            downstream.next(defaultValue)
        }
        if source.isDone { complete() }
    }
}

private final class SampleTickLane<Element, Tick>: ElementLane<Tick> {
    override func accept(_ element: Tick, for coordinator: Coordinator) {
        unsafeDowncast(coordinator, to: SampleCoordinator<Element>.self).tick()
    }

    override var endsBehindClosures: Bool { true }
}
