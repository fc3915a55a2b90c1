// SPDX-License-Identifier: Apache-2.0

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

private final class TakeUntilOther<Element, Other>: Observable<Element>, @unchecked Sendable {
    private let source: Observable<Element>
    private let other: Observable<Other>

    init(source: Observable<Element>, other: Observable<Other>) {
        self.source = source
        self.other = other
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        let otherSlot = TakeUntilOtherSlot<Other>()
        let coordinator = TakeUntilCoordinator(otherSlot: otherSlot, downstream: downstream)
        downstream.link(coordinator)
        other.subscribeCore(SourceSink(slot: otherSlot, coordinator: coordinator))
        source.subscribeCore(SourceSink(slot: coordinator.source, coordinator: coordinator))
        coordinator.didSubscribe()
    }
}

private final class TakeUntilCoordinator<Element>: Coordinator {
    let source: PassingSlot<Element>

    package override var operatorName: StaticString { "take(until:)" }

    init(otherSlot: SourceSlot, downstream: Sink<Element>) {
        source = PassingSlot(downstream: downstream)
        super.init(slots: [otherSlot, source], downstream: downstream)
    }

    override func completed(_ slot: SourceSlot) {
        if slot === source { complete() }
    }
}

private final class TakeUntilOtherSlot<Other>: ElementSlot<Other> {
    override func accept(_ element: Other, for coordinator: Coordinator) { coordinator.complete() }

    override var isTrigger: Bool { true }
}
