// SPDX-License-Identifier: Apache-2.0

/// The slot of one source of a zip: the elements that wait for those of the other sources.
@usableFromInline
final class ZipSlot<Element>: ElementSlot<Element> {
    /// A ring whose capacity, 0 before the first element, is a power of two. Only the drainer uses it and the other fields.
    @exclusivity(unchecked) @usableFromInline var ring: UnsafeMutablePointer<Element>?
    /// The capacity of the ring less 1.
    @exclusivity(unchecked) @usableFromInline var mask = -1
    /// The index of the oldest element.
    @exclusivity(unchecked) @usableFromInline var head = 0

    private let backlogPlace = Backlog.Place()

    /// Weighs an element; looked up when a source asks for the first time. Nil inside if elements count by their number alone.
    private var weigh: ((Element) -> Int)??

    deinit {
        guard let ring else { return }
        removeAll()
        ring.deallocate()
    }

    override func accept(_ element: Element, for coordinator: Coordinator) {
        let coordinator = unsafeDowncast(coordinator, to: AnyCombinationCoordinator.self)
        guard coordinator.keepsElements else { return coordinator.discarded() }
        if count > mask { grow(for: coordinator) }
        (ring.unsafelyUnwrapped + ((head &+ count) & mask)).initialize(to: element)
        count &+= 1
        coordinator.received(first: count == 1, taking: true)
    }

    /// Removes and returns the oldest element; there must be one.
    @inlinable @inline(__always)
    func removeFirst() -> Element {
        let index = head
        head = (index &+ 1) & mask
        count &-= 1
        return (ring.unsafelyUnwrapped + index).move()
    }

    override func isFull(at count: Int) -> Bool {
        if self.count >= count { return true }
        if weigh == nil { weigh = .some(weigher(of: Element.self, for: "zip")) }
        guard let ring, case .some(.some(let weigh)) = weigh else { return false }
        // 1 MiB counts as 256 elements do.
        let bound = count << 12
        var weight = 0
        for offset in 0..<self.count {
            weight += weigh(ring[(head &+ offset) & mask])
            if weight >= bound { return true }
        }
        return false
    }

    override func removeAll() {
        // One by one, so that the deinit of an element finds the queue in order.
        while count != 0 { _ = removeFirst() }
    }

    @inline(never)
    private func grow(for coordinator: AnyCombinationCoordinator) {
        // Only here, so that an element costs nothing more.
        Backlog.noticed(Backlog.count(count, whilePausing: paused != nil), at: coordinator.operatorName, backlogPlace)
        let capacity = mask + 1
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: max(4, 2 * capacity))
        if let ring {
            larger.moveInitialize(from: ring + head, count: capacity - head)
            (larger + (capacity - head)).moveInitialize(from: ring, count: head)
            ring.deallocate()
        }
        ring = larger
        mask = max(4, 2 * capacity) - 1
        head = 0
    }
}
