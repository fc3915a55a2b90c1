/// The observable behind the forms of zip for 2 to 8 sources.
///
/// Only `combine` knows the types of the sources. It is made in the caller's module, where the types are known, so that the compiler
/// specializes all that it does per combination.
@usableFromInline
final class Zip<Result>: Observable<Result> {
    @usableFromInline let sources: [any ZipSource]
    @usableFromInline let combine: (ZipCoordinator) throws -> Result
    /// Captured where `Result` is known: to look the type up at each subscription would cost more.
    @usableFromInline let coordinatorType: CombiningZipCoordinator<Result>.Type

    /// - Parameter combine: takes the next element of each source from the coordinator, in the order of `sources`.
    @inlinable
    init(_ sources: [any ZipSource], combine: @escaping (ZipCoordinator) throws -> Result) {
        self.sources = sources
        self.combine = combine
        self.coordinatorType = CombiningZipCoordinator<Result>.self
        super.init()
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Result>) {
        let slots = [SourceSlot](unsafeUninitializedCapacity: sources.count) { slots, count in
            for source in sources {
                slots.initializeElement(at: count, to: source.makeZipSlot())
                count &+= 1
            }
        }
        let coordinator = coordinatorType.init(slots: slots, combine: combine, downstream: downstream)
        downstream.link(coordinator)
        for index in slots.indices { sources[index].subscribe(slots[index], of: coordinator) }
        coordinator.didSubscribe()
    }
}

/// A source of zip, of any type of elements.
@usableFromInline
protocol ZipSource: CombinedSource {
    func makeZipSlot() -> SourceSlot
}

extension Observable: ZipSource {
    @usableFromInline
    final func makeZipSlot() -> SourceSlot { ZipSlot<Element>() }
}
