// SPDX-License-Identifier: Apache-2.0

/// A slot that keeps the latest element of its source.
@usableFromInline
class LatestSlot<Element>: ElementSlot<Element> {
    /// Memory for one element, nil before the first; initialized while `count` is 1. Only the drainer uses it.
    ///
    /// Apart from the object, and not an optional element: naming `Optional<Element>` would cost a look-up of metadata per event.
    @exclusivity(unchecked) @usableFromInline final var memory: UnsafeMutablePointer<Element>?

    deinit {
        guard let memory else { return }
        if count != 0 { memory.deinitialize(count: 1) }
        memory.deallocate()
    }

    override func accept(_ element: Element, for coordinator: Coordinator) {
        _ = replace(by: element)
    }

    /// The latest element; there must be one.
    @inlinable @inline(__always)
    final var latest: Element { memory.unsafelyUnwrapped.pointee }

    /// Removes and returns the latest element; there must be one.
    final func take() -> Element {
        count = 0
        return memory.unsafelyUnwrapped.move()
    }

    /// - Returns: whether there was no element before.
    @inline(__always)
    final func replace(by element: Element) -> Bool {
        if count != 0 {
            memory.unsafelyUnwrapped.pointee = element
            return false
        }
        if memory == nil { allocate() }
        memory.unsafelyUnwrapped.initialize(to: element)
        count = 1
        return true
    }

    @inline(never)
    private final func allocate() { memory = .allocate(capacity: 1) }

    override final func removeAll() {
        if count != 0 { _ = take() }
    }
}
