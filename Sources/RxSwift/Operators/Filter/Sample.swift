// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension ObservableType {
    /// Sends the latest element when a sampler sends one, if there is a new element since.
    ///
    /// Subscribes to this sequence first. A sampler that completes counts as one more tick. After this sequence has completed, the
    /// result completes at the sampler's next tick; an error of either ends it at once.
    ///
    /// A slow observer never makes the sampler pause, and ticks that wait for it take no memory. With a default value each tick is an
    /// element, and waits.
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
        let sampler = SampleTickSlot<Element, Tick>(countsTicks: defaultValue != nil)
        let coordinator = SampleCoordinator(sampler: sampler, defaultValue: defaultValue, downstream: downstream)
        downstream.link(coordinator)
        source.subscribeCore(SourceSink(slot: coordinator.source, coordinator: coordinator))
        self.sampler.subscribeCore(SourceSink(slot: sampler, coordinator: coordinator))
        coordinator.didSubscribe()
    }
}

private final class SampleCoordinator<Element>: Coordinator {
    let source = SampledSlot<Element>()
    private let defaultValue: Element?
    private let downstream: Sink<Element>
    /// 1 while a tick waits and no event of the source behind it. A further tick would change nothing then.
    private let lastIsTick = AtomicWord(0)

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

    // A tick sets the word before it enters the queue. The source clears it behind an event that it has put there, the drainer when it runs a
    // tick. Relaxed: the read-modify-writes of the queue order an event behind the tick whose word it clears, or before the tick.

    /// Returns whether a tick of the sampler has to wait: not behind one that does the same.
    final func mustEnqueueTick() -> Bool {
        if lastIsTick.loadRelaxed() != 0 { return false }
        lastIsTick.storeRelaxed(1)
        return true
    }

    final func willNeedTick() { lastIsTick.storeRelaxed(0) }
}

/// The latest element of the source.
private final class SampledSlot<Element>: LatestSlot<Element> {
    override func submit(_ node: UnsafeMutablePointer<DrainNode>, to coordinator: Coordinator) {
        super.submit(node, to: coordinator)
        unsafeDowncast(coordinator, to: SampleCoordinator<Element>.self).willNeedTick()
    }
}

private final class SampleTickSlot<Element, Tick>: ElementSlot<Tick> {
    /// True if each tick sends an element, the default value if need be.
    private let countsTicks: Bool

    init(countsTicks: Bool) {
        self.countsTicks = countsTicks
        super.init()
    }

    override func accept(_ element: Tick, for coordinator: Coordinator) {
        unsafeDowncast(coordinator, to: SampleCoordinator<Element>.self).tick()
    }

    override func enqueue(_ element: Tick, at coordinator: Coordinator) {
        if countsTicks || unsafeDowncast(coordinator, to: SampleCoordinator<Element>.self).mustEnqueueTick() {
            super.enqueue(element, at: coordinator)
        }
    }

    override func accept(_ node: UnsafeMutablePointer<DrainNode>, for coordinator: Coordinator) {
        unsafeDowncast(coordinator, to: SampleCoordinator<Element>.self).willNeedTick()
        super.accept(node, for: coordinator)
    }

    override var endsBehindClosures: Bool { true }

    override var isTrigger: Bool { true }
}
