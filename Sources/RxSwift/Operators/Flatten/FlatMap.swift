// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Turns each element into a sequence and merges these sequences into one.
    ///
    /// Subscribes to each sequence at once: their number has no bound, and they pause the source only as the stages below do.
    /// - Parameter selector: runs once per element, on the thread that emits it; an error it throws ends the sequence.
    /// - Returns: the elements of all inner sequences in order of acceptance, one at a time, even if they come from several
    ///   threads. The first error ends the sequence; it completes when the source and all inner sequences have.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency @inlinable
    public func flatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        FlatMap(source: asObservable()) { try selector($0).asObservable() }
    }
}

@usableFromInline
final class FlatMap<Element, Result>: Observable<Result>, @unchecked Sendable {
    private let source: Observable<Element>
    private let selector: (Element) throws -> Observable<Result>
    private let sinkType: FlatMapSink<Element, Result>.Type

    @inlinable
    convenience init(source: Observable<Element>, selector: @escaping (Element) throws -> Observable<Result>) {
        self.init(source: source, selector: selector, sinkType: FlatMapSink<Element, Result>.self)
    }

    @usableFromInline
    init(
        source: Observable<Element>, selector: @escaping (Element) throws -> Observable<Result>,
        sinkType: FlatMapSink<Element, Result>.Type
    ) {
        self.source = source
        self.selector = selector
        self.sinkType = sinkType
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Result>) {
        let sink = sinkType.init(selector: selector, downstream: downstream)
        source.subscribeCore(sink)
        sink.didSubscribe()
    }
}

/// Receives the outer elements.
@usableFromInline
final class FlatMapSink<Element, Result>: Sink<Element> {
    private let selector: (Element) throws -> Observable<Result>
    private let coordinator: MergeCoordinator<Result>
    private let innerType = InnerSink<Result>.self

    required init(selector: @escaping (Element) throws -> Observable<Result>, downstream: Sink<Result>) {
        self.selector = selector
        coordinator = MergeCoordinator(downstream: downstream)
        super.init()
    }

    /// Notes that the outer source has been subscribed to.
    fileprivate func didSubscribe() { coordinator.didSubscribe() }

    override func link(_ stage: Stage) {
        coordinator.linkDownstream()
        coordinator.link(stage)
    }

    package override func upstreamGoesOn() { coordinator.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { coordinator.pauses(source) }

    override func next(_ element: Element) {
        if isCancelled { return }
        do {
            let source = try selector(element)
            if coordinator.isCancelled || source.emitScalar(into: coordinator) { return }
            if let inner = coordinator.makeInner(innerType) { coordinator.start(inner, source) }
        } catch {
            if coordinator.isCancelled { return }
            // The error may have to wait for the drainer, but the selector and the stages upstream have ended now.
            _ = takeUpstream()
            self.error(error)
        }
    }

    override func error(_ error: any Swift.Error) {
        coordinator.error(error)
        coordinator.endSource()
    }

    override func completed() {
        coordinator.sourceCompleted()
        coordinator.endSource()
    }
}
