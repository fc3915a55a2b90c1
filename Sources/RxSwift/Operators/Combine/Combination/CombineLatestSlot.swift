// SPDX-License-Identifier: Apache-2.0

/// The slot of one source of a combineLatest.
@usableFromInline
final class CombineLatestSlot<Element>: LatestSlot<Element> {
    override func accept(_ element: Element, for coordinator: Coordinator) {
        let first = replace(by: element)
        unsafeDowncast(coordinator, to: AnyCombinationCoordinator.self).received(first: first, taking: false)
    }
}
