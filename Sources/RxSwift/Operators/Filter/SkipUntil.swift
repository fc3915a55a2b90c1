// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Drops elements until another sequence sends one, and passes them on from then.
    ///
    /// Subscribes to this sequence first. If it completes before the other one has sent an element, nothing is sent at all, not
    /// even `completed`. An error of either ends the sequence.
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

private final class SkipUntil<Element, Other>: Observable<Element>, @unchecked Sendable {
    private let source: Observable<Element>
    private let other: Observable<Other>

    init(source: Observable<Element>, other: Observable<Other>) {
        self.source = source
        self.other = other
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        let coordinator = SkipUntilCoordinator<Element, Other>(exit: SkipUntilExit(downstream))
        downstream.link(coordinator)
        self.source.subscribeCore(SourceSink(slot: coordinator.source, coordinator: coordinator))
        other.subscribeCore(SourceSink(slot: coordinator.other, coordinator: coordinator))
        coordinator.didSubscribe()
    }
}

private final class SkipUntilCoordinator<Element, Other>: Coordinator {
    let source: PassingSlot<Element>
    let other: SkipUntilOtherSlot<Element, Other>
    private let exit: SkipUntilExit<Element>

    package override var operatorName: StaticString { "skip(until:)" }

    init(exit: SkipUntilExit<Element>) {
        self.exit = exit
        source = PassingSlot(downstream: exit, isOpen: false)
        other = SkipUntilOtherSlot(source: source)
        super.init(slots: [source, other], downstream: exit)
    }

    override func completed(_ slot: SourceSlot) {
        guard slot === source else { return }
        if source.isOpen { return complete() }
        // Nothing will ever be sent, so no stage downstream cancels: the objects of the subscription are released here.
        cancel()
        exit.close()
    }
}

/// Releases the downstream when the subscription ends without a terminal event.
private final class SkipUntilExit<Element>: Sink<Element> {
    /// The downstream, nil after `close`. Only the drainer uses this field.
    private var downstream: Sink<Element>?

    init(_ downstream: Sink<Element>) {
        self.downstream = downstream
        super.init()
    }

    func close() {
        let downstream = self.downstream
        self.downstream = nil
        // It leaves the field first, because its release may run a user's deinit.
        _ = downstream
    }

    override func next(_ element: Element) { downstream?.next(element) }

    package override func upstreamGoesOn() { downstream?.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { downstream?.pauses(source) ?? false }

    override func error(_ error: any Swift.Error) { downstream?.error(error) }

    override func completed() { downstream?.completed() }
}

private final class SkipUntilOtherSlot<Element, Other>: ElementSlot<Other> {
    private let source: PassingSlot<Element>

    init(source: PassingSlot<Element>) {
        self.source = source
        super.init()
    }

    override func accept(_ element: Other, for coordinator: Coordinator) {
        if source.isOpen { return }
        source.isOpen = true
        // Only one element of the other sequence is wanted.
        cancel()
    }

    override var isTrigger: Bool { true }
}
