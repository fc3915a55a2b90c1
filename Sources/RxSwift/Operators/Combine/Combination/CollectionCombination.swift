// SPDX-License-Identifier: Apache-2.0

/// The observable behind the forms of zip and combineLatest for collections of sources.
final class CollectionCombination<Sources: Collection, Result>: Observable<Result>, @unchecked Sendable
where Sources.Element: ObservableType {
    private let kind: CombinationKind
    private let sources: Sources
    private let count: Int
    private let resultSelector: ([Sources.Element.Element]) throws -> Result

    init(
        _ kind: CombinationKind, _ sources: Sources,
        resultSelector: @escaping ([Sources.Element.Element]) throws -> Result
    ) {
        self.kind = kind
        self.sources = sources
        self.count = sources.count
        self.resultSelector = resultSelector
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Result>) {
        let coordinator = CombinationCoordinator(
            kind, slots: (0..<count).map { _ in makeSlot() }, isOfCollection: true,
            combine: { [kind, count, resultSelector] coordinator in
                try resultSelector((0..<count).map { kind == .zip ? coordinator.next($0) : coordinator.latest($0) })
            },
            downstream: downstream)
        downstream.link(coordinator)
        if count == 0 {
            if kind == .combineLatest { coordinator.emit() }
            coordinator.complete()
        }
        // One by one: a source that the collection makes on demand is made when the sources before it are subscribed.
        for (source, slot) in Swift.zip(sources, coordinator.slots) {
            source.asObservable().subscribe(slot, of: coordinator)
        }
        coordinator.didSubscribe()
    }

    private func makeSlot() -> SourceSlot {
        kind == .zip ? ZipSlot<Sources.Element.Element>() : CombineLatestSlot<Sources.Element.Element>()
    }
}
