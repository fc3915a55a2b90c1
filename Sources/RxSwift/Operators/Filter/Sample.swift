// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Sends the latest element when a sampler sends one, if there is a new element since.
    ///
    /// Subscribes to this sequence first. A sampler that completes counts as one more tick. After this sequence has completed, the
    /// result completes at the sampler's next tick; an error of either ends it at once.
    /// - Parameters:
    ///   - sampler: its elements are the ticks.
    ///   - defaultValue: sent at a tick for which there is no new element. If nil, nothing is sent then.
    /// - SeeAlso: [Sample](https://reactivex.io/documentation/operators/sample.html)
    public func sample(_ sampler: some ObservableType, defaultValue: Element? = nil) -> Observable<Element> {
        Sample(source: asObservable(), sampler: sampler.asObservable(), defaultValue: defaultValue)
    }
}

private final class Sample<Element, Tick>: Observable<Element>, @unchecked Sendable {
    private let source: Observable<Element>
    private let sampler: Observable<Tick>
    private let defaultValue: Element?

    init(source: Observable<Element>, sampler: Observable<Tick>, defaultValue: Element?) {
        self.source = source
        self.sampler = sampler
        self.defaultValue = defaultValue
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        let sampler = SampleTickSlot<Element, Tick>()
        let coordinator = SampleCoordinator(sampler: sampler, defaultValue: defaultValue, downstream: downstream)
        downstream.link(coordinator)
        source.subscribeCore(SourceSink(slot: coordinator.source, coordinator: coordinator))
        self.sampler.subscribeCore(SourceSink(slot: sampler, coordinator: coordinator))
        coordinator.didSubscribe()
    }
}

private final class SampleCoordinator<Element>: Coordinator {
    let source = LatestSlot<Element>()
    private let defaultValue: Element?
    private let downstream: Sink<Element>

    package override var operatorName: StaticString { "sample" }

    init(sampler: SourceSlot, defaultValue: Element?, downstream: Sink<Element>) {
        self.defaultValue = defaultValue
        self.downstream = downstream
        super.init(slots: [source, sampler], downstream: downstream)
    }

    override func completed(_ slot: SourceSlot) {
        if slot !== source { tick() }
    }

    /// Sends the latest element, or the default value. Only the drainer calls this.
    func tick() {
        if !source.isEmpty {
            downstream.next(source.take())
        } else if let defaultValue {
            downstream.next(defaultValue)
        }
        if source.isDone { complete() }
    }
}

private final class SampleTickSlot<Element, Tick>: ElementSlot<Tick> {
    override func accept(_ element: Tick, for coordinator: Coordinator) {
        unsafeDowncast(coordinator, to: SampleCoordinator<Element>.self).tick()
    }

    override var endsBehindClosures: Bool { true }

    override var isTrigger: Bool { true }
}
