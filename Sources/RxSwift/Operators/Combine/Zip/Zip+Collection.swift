extension ObservableType {
    /// Combines the elements of several sources by position: the first of each, the second of each, and so on.
    ///
    /// Completes when all sources have completed, at once if there are none, and also when an element comes that no
    /// combination can follow because all other sources are done.
    /// - Parameters:
    ///   - collection: the sources, which are iterated at each subscription.
    ///   - resultSelector: runs once per combination, never two runs at a time; an error it throws ends the sequence.
    /// - Returns: the results, in order; an error of a source ends the sequence at once.
    /// - SeeAlso: [Zip](https://reactivex.io/documentation/operators/zip.html)
    @preconcurrency
    public static func zip<Collection: Swift.Collection>(
        _ collection: Collection,
        resultSelector: @escaping @Sendable ([Collection.Element.Element]) throws -> Element
    ) -> Observable<Element> where Collection.Element: ObservableType {
        ZipCollection(sources: collection, resultSelector: resultSelector)
    }

    /// Combines the elements of several sources by position: the first of each, the second of each, and so on.
    ///
    /// Completes when all sources have completed, at once if there are none, and also when an element comes that no
    /// combination can follow because all other sources are done.
    /// - Parameter collection: the sources, which are iterated at each subscription.
    /// - Returns: the combinations as arrays, in order; an error of a source ends the sequence at once.
    /// - SeeAlso: [Zip](https://reactivex.io/documentation/operators/zip.html)
    public static func zip<Collection: Swift.Collection>(
        _ collection: Collection
    ) -> Observable<[Element]> where Collection.Element: ObservableType, Collection.Element.Element == Element {
        ZipCollection(sources: collection, resultSelector: { $0 })
    }
}

private final class ZipCollection<Sources: Collection, Result>: Observable<Result>
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
        if count == 0 { return downstream.linkAndComplete() }
        let coordinator = CombiningZipCoordinator(
            slots: (0..<count).map { _ in ZipSlot<Sources.Element.Element>() }, completesWhenOthersAreDone: true,
            combine: { [count, resultSelector] coordinator in try resultSelector((0..<count).map(coordinator.next)) },
            downstream: downstream)
        downstream.link(coordinator)
        // One by one: a source that the collection makes on demand is made when the sources before it are subscribed.
        for (source, slot) in Swift.zip(sources, coordinator.slots) {
            source.asObservable().subscribe(slot, of: coordinator)
        }
        coordinator.didSubscribe()
    }
}
