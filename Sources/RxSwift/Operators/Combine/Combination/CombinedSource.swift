// SPDX-License-Identifier: Apache-2.0

/// A source of an operator that holds sources of several types in one array.
@usableFromInline
protocol CombinedSource: AnyObject {
    func makeZipSlot() -> SourceSlot

    func makeCombineLatestSlot() -> SourceSlot

    /// Subscribes on behalf of a slot for elements of this source's type.
    func subscribe(_ slot: SourceSlot, of coordinator: Coordinator)
}

extension Observable: CombinedSource {
    @usableFromInline
    final func makeZipSlot() -> SourceSlot { ZipSlot<Element>() }

    @usableFromInline
    final func makeCombineLatestSlot() -> SourceSlot { CombineLatestSlot<Element>() }

    @usableFromInline
    final func subscribe(_ slot: SourceSlot, of coordinator: Coordinator) {
        subscribeCore(SourceSink(slot: unsafeDowncast(slot, to: ElementSlot<Element>.self), coordinator: coordinator))
    }
}
