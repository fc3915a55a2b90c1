// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Merges several sequences into one.
    ///
    /// Subscribes to them in order, and passes on their elements in order of acceptance, one at a time, even if they come from
    /// several threads. The first error ends the sequence; it completes when all have.
    /// - SeeAlso: [Merge](https://reactivex.io/documentation/operators/merge.html)
    @inlinable
    public static func merge<Collection: Swift.Collection>(_ sources: Collection) -> Observable<Element>
    where Collection.Element == Observable<Element> {
        Merge(sources: Array(sources))
    }

    /// Merges several sequences into one. See `merge(_:)` of a collection.
    @inlinable
    public static func merge(_ sources: [Observable<Element>]) -> Observable<Element> {
        Merge(sources: sources)
    }

    /// Merges several sequences into one. See `merge(_:)` of a collection.
    @inlinable
    public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
        Merge(sources: sources)
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// Merges the inner sequences into one. See `flatMap`.
    ///
    /// - SeeAlso: [Merge](https://reactivex.io/documentation/operators/merge.html)
    @inlinable
    public func merge() -> Observable<Element.Element> {
        FlatMap(source: asObservable()) { $0.asObservable() }
    }
}

@usableFromInline
final class Merge<Element>: Observable<Element>, @unchecked Sendable {
    private let sources: [Observable<Element>]

    @usableFromInline
    init(sources: [Observable<Element>]) {
        self.sources = sources
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        let coordinator = MergeCoordinator(downstream: downstream)
        coordinator.linkDownstream()
        for source in sources {
            // As in RxSwift, if the downstream has ended, the remaining sources are subscribed to and cancelled at once, but not
            // after an error.
            if coordinator.hasFailed { break }
            let inner = coordinator.makeInner(InnerSink<Element>.self) ?? coordinator.makeCancelledInner()
            coordinator.start(inner, source)
        }
        coordinator.sourceCompleted()
        coordinator.didSubscribe()
    }
}
