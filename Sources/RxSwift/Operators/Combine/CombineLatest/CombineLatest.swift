/// The observable behind the forms of combineLatest for 2 to 8 sources.
///
/// Only `combine` knows the types of the sources. It is made in the caller's module, where the types are known, so that the compiler
/// specializes all that it does per combination.
@usableFromInline
final class CombineLatest<Result>: Observable<Result> {
    @usableFromInline let sources: [any CombineLatestSource]
    @usableFromInline let combine: (CombineLatestCoordinator) throws -> Result
    /// Captured where `Result` is known: to look the type up at each subscription would cost more.
    @usableFromInline let coordinatorType: CombiningLatestCoordinator<Result>.Type

    /// - Parameter combine: reads the latest element of each source from the coordinator, in the order of `sources`.
    @inlinable
    init(_ sources: [any CombineLatestSource], combine: @escaping (CombineLatestCoordinator) throws -> Result) {
        self.sources = sources
        self.combine = combine
        self.coordinatorType = CombiningLatestCoordinator<Result>.self
        super.init()
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Result>) {
        let slots = [SourceSlot](unsafeUninitializedCapacity: sources.count) { slots, count in
            for source in sources {
                slots.initializeElement(at: count, to: source.makeCombineLatestSlot())
                count &+= 1
            }
        }
        let coordinator = coordinatorType.init(slots: slots, combine: combine, downstream: downstream)
        downstream.link(coordinator)
        for index in slots.indices { sources[index].subscribe(slots[index], of: coordinator) }
        coordinator.didSubscribe()
    }
}

/// A source of combineLatest, of any type of elements.
@usableFromInline
protocol CombineLatestSource: CombinedSource {
    func makeCombineLatestSlot() -> SourceSlot
}

extension Observable: CombineLatestSource {
    @usableFromInline
    final func makeCombineLatestSlot() -> SourceSlot { CombineLatestSlot<Element>() }
}
