// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// A sequence that owns a resource for the duration of each subscription.
    ///
    /// - Parameters:
    ///   - resourceFactory: runs at each subscription and makes the resource, which is disposed of once the subscription to
    ///     the sequence has ended.
    ///   - observableFactory: makes the sequence from the resource.
    /// - Returns: the sequence. An error that a factory throws ends it; a resource made before that is disposed of.
    /// - SeeAlso: [Using](https://reactivex.io/documentation/operators/using.html)
    @preconcurrency
    public static func using<Resource: Disposable>(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        observableFactory: @escaping @Sendable (Resource) throws -> Observable<Element>
    ) -> Observable<Element> {
        Using(resourceFactory: resourceFactory, observableFactory: observableFactory)
    }
}

final class Using<Element, Resource: Disposable>: Observable<Element>, @unchecked Sendable {
    private let resourceFactory: () throws -> Resource
    private let observableFactory: (Resource) throws -> Observable<Element>

    init(
        resourceFactory: @escaping () throws -> Resource,
        observableFactory: @escaping (Resource) throws -> Observable<Element>
    ) {
        self.resourceFactory = resourceFactory
        self.observableFactory = observableFactory
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        let resource: Resource
        do {
            resource = try resourceFactory()
        } catch {
            return downstream.linkAndFail(error)
        }
        let sink = UsingSink(resource: resource, downstream: downstream)
        sink.linkToDownstream()
        do {
            try observableFactory(resource).subscribeCore(sink)
        } catch {
            downstream.error(error)
        }
        sink.leave()
    }
}

final class UsingSink<Element>: LifecycleSink<Element, Element> {
    private let resource: any Disposable
    private let subscribePhase = SubscribePhase(begun: true)

    init(resource: any Disposable, downstream: Sink<Element>) {
        self.resource = resource
        super.init(downstream: downstream)
    }

    /// Notes that the sequence has been subscribed to, and disposes of the resource if that was postponed.
    fileprivate func leave() {
        if subscribePhase.end() { resource.dispose() }
    }

    override func next(_ element: Element) { downstream.next(element) }

    override func cancel() {
        guard let upstream = takeUpstream() else { return }
        upstream.take()?.cancel()
        // The closure that makes the sequence may be using the resource.
        if !subscribePhase.postpones() { resource.dispose() }
    }
}
