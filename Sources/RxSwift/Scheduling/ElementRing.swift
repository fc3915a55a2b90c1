// SPDX-License-Identifier: Apache-2.0

/// A first-in, first-out ring of elements of one type, which its owner knows.
///
/// The type is a parameter of the methods: a generic structure inside generic code that is not specialized costs a look-up of its metadata per
/// call, several times what the work costs. The owner protects the ring by a lock, and calls `removeAll` or `release` at the end.
struct ElementRing: ~Copyable {
    private(set) var count = 0
    private var capacity = 0
    private var oldest = 0
    private var storage: UnsafeMutableRawPointer?

    var isEmpty: Bool { count == 0 }

    /// Appends an element. O(1), amortized while the ring grows.
    mutating func append<Element>(_ element: Element) {
        if count == capacity { grow(Element.self) }
        let place = oldest + count
        slot(place < capacity ? place : place - capacity, Element.self).initialize(to: element)
        count += 1
    }

    /// Moves the oldest element of a ring that is not empty to memory that is not initialized.
    mutating func popFirst<Element>(into place: UnsafeMutablePointer<Element>) {
        place.moveInitialize(from: slot(oldest, Element.self), count: 1)
        advance()
    }

    /// Takes the oldest element of a ring that is not empty.
    mutating func popFirst<Element>(_: Element.Type) -> Element {
        defer { advance() }
        return slot(oldest, Element.self).move()
    }

    /// Takes all elements, for the caller to release by `removeAll`.
    mutating func takeAll() -> ElementRing {
        var taken = ElementRing()
        swap(&taken, &self)
        return taken
    }

    /// Releases all elements, and the memory. The last call to a ring.
    consuming func removeAll<Element>(_: Element.Type) { release(Element.self) }

    /// Releases all elements, and the memory, in the deinit of the owner.
    func release<Element>(_: Element.Type) {
        guard let storage else { return }
        let front = min(count, capacity - oldest)
        slot(oldest, Element.self).deinitialize(count: front)
        slot(0, Element.self).deinitialize(count: count - front)
        storage.deallocate()
    }

    private mutating func advance() {
        oldest = oldest + 1 == capacity ? 0 : oldest + 1
        count -= 1
    }

    /// The memory of an element, in a ring that has storage.
    private func slot<Element>(_ index: Int, _: Element.Type) -> UnsafeMutablePointer<Element> {
        storage.unsafelyUnwrapped.assumingMemoryBound(to: Element.self) + index
    }

    @inline(never)
    private mutating func grow<Element>(_: Element.Type) {
        let larger = max(16, 2 * capacity)
        let room = UnsafeMutablePointer<Element>.allocate(capacity: larger)
        if let storage {
            let front = min(count, capacity - oldest)
            room.moveInitialize(from: slot(oldest, Element.self), count: front)
            (room + front).moveInitialize(from: slot(0, Element.self), count: count - front)
            storage.deallocate()
        }
        (storage, capacity, oldest) = (UnsafeMutableRawPointer(room), larger, 0)
    }
}
