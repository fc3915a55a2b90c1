extension ObservableType {
    /// Combines the latest elements of several sources whenever one of them sends an element, once each has sent one.
    ///
    /// Completes when all sources have completed, or when an element comes that no combination can follow. Without sources, sends
    /// the result for no elements and completes.
    /// - Parameters:
    ///   - collection: the sources, which are iterated at each subscription.
    ///   - resultSelector: runs once per combination, never two runs at a time; an error it throws ends the sequence.
    /// - Returns: the results, in order; an error of a source ends the sequence at once.
    /// - SeeAlso: [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html)
    @preconcurrency
    public static func combineLatest<Collection: Swift.Collection>(
        _ collection: Collection,
        resultSelector: @escaping @Sendable ([Collection.Element.Element]) throws -> Element
    ) -> Observable<Element> where Collection.Element: ObservableType {
        CombineLatestCollection(sources: collection, resultSelector: resultSelector)
    }

    /// Combines the latest elements of several sources whenever one of them sends an element, once each has sent one.
    ///
    /// Completes when all sources have completed, or when an element comes that no combination can follow. Without sources, sends
    /// an empty array and completes.
    /// - Parameter collection: the sources, which are iterated at each subscription.
    /// - Returns: the combinations as arrays, in order; an error of a source ends the sequence at once.
    /// - SeeAlso: [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html)
    public static func combineLatest<Collection: Swift.Collection>(
        _ collection: Collection
    ) -> Observable<[Element]> where Collection.Element: ObservableType, Collection.Element.Element == Element {
        CombineLatestCollection(sources: collection, resultSelector: { $0 })
    }
}

private final class CombineLatestCollection<Sources: Collection, Result>: Observable<Result>
where Sources.Element: ObservableType {
    private let sources: Sources
    private let count: Int
    private let resultSelector: ([Sources.Element.Element]) throws -> Result

    init(sources: Sources, resultSelector: @escaping ([Sources.Element.Element]) throws -> Result) {
        self.sources = sources
        self.count = sources.count
        self.resultSelector = resultSelector
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Result>) {
        let coordinator = CombiningLatestCoordinator(
            slots: (0..<count).map { _ in CombineLatestSlot<Sources.Element.Element>() }, endsSourcesFirst: false,
            combine: { [count, resultSelector] coordinator in try resultSelector((0..<count).map(coordinator.latest)) },
            downstream: downstream)
        downstream.link(coordinator)
        if count == 0 {
            coordinator.emit()
            coordinator.complete()
        }
        // One by one: a source that the collection makes on demand is made when the sources before it are subscribed.
        for (source, slot) in Swift.zip(sources, coordinator.slots) {
            source.asObservable().subscribe(slot, of: coordinator)
        }
        coordinator.didSubscribe()
    }
}
