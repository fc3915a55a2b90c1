// SPDX-License-Identifier: Apache-2.0

/// Tells which element of each source a combination takes.
@frozen
@usableFromInline
enum CombinationKind {
    /// The oldest one that is in no combination yet.
    case zip
    /// The latest one.
    case combineLatest
}

/// The observable behind the forms of zip and combineLatest for 2 to 8 sources.
///
/// Only `combine` knows the types of the sources. It is made in the caller's module, where the types are known, so that the compiler
/// specializes all that it does per combination.
@usableFromInline
final class Combination<Result>: Observable<Result>, @unchecked Sendable {
    @usableFromInline let kind: CombinationKind
    @usableFromInline let sources: [any CombinedSource]
    @usableFromInline let combine: (AnyCombinationCoordinator) throws -> Result
    /// Captured where `Result` is known: to look the type up at each subscription would cost more.
    @usableFromInline let coordinatorType: CombinationCoordinator<Result>.Type

    /// - Parameter combine: takes an element of each source from the coordinator, in the order of `sources`.
    @inlinable
    init(
        _ kind: CombinationKind, _ sources: [any CombinedSource],
        combine: @escaping (AnyCombinationCoordinator) throws -> Result
    ) {
        self.kind = kind
        self.sources = sources
        self.combine = combine
        self.coordinatorType = CombinationCoordinator<Result>.self
        super.init()
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Result>) {
        let slots = [SourceSlot](unsafeUninitializedCapacity: sources.count) { slots, count in
            for source in sources {
                slots.initializeElement(
                    at: count, to: kind == .zip ? source.makeZipSlot() : source.makeCombineLatestSlot())
                count &+= 1
            }
        }
        let coordinator = coordinatorType.init(kind, slots: slots, combine: combine, downstream: downstream)
        downstream.link(coordinator)
        for index in slots.indices { sources[index].subscribe(slots[index], of: coordinator) }
        coordinator.didSubscribe()
    }
}
