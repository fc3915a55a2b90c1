/// Remembers the last elements, up to a bound. Remembering one when the bound is reached allocates nothing.
@usableFromInline
package final class ReplayRing<Element>: RecallingCore<Element> {
    // All under the lock.
    private var storage: UnsafeMutablePointer<Element>?
    private var capacity = 0
    /// The place of the oldest element. 0 until the bound is reached.
    private var oldest = 0
    private var count = 0
    private let bound: Int
    /// Whether elements hold no references.
    private let isPlainBytes = _isPOD(Element.self)

    /// - Parameter bound: how many elements to remember, at most. Not negative.
    package init(name: StaticString, bound: Int, recall: Recall) {
        self.bound = bound
        super.init(name: name, recall: recall)
    }

    deinit {
        Self.release(storage, count)
    }

    /// The newest element. Under the lock, when there is one.
    var newest: Element {
        storage![(oldest == 0 ? count : oldest) - 1]
    }

    override func keepAndUnlock(_ element: Element) {
        if count < bound {
            if count == capacity { grow() }
            (storage! + count).initialize(to: element)
            count += 1
            return lock.unlock()
        }
        guard let storage else { return lock.unlock() }
        let place = storage + oldest
        oldest = oldest + 1 == bound ? 0 : oldest + 1
        if isPlainBytes {
            place.initialize(to: element)
            return lock.unlock()
        }
        let forgotten = place.move()
        place.initialize(to: element)
        lock.unlock()
        withExtendedLifetime(forgotten) {}
    }

    override var keptCount: Int { count }

    override func recall(into recollection: inout Recollection<Element>) {
        recollection.append(contentsOf: UnsafeBufferPointer(start: storage.map { $0 + oldest }, count: count - oldest))
        recollection.append(contentsOf: UnsafeBufferPointer(start: storage, count: oldest))
    }

    override func clearAndUnlock() {
        let (storage, count) = (self.storage, self.count)
        self.storage = nil
        self.count = 0
        oldest = 0
        capacity = 0
        lock.unlock()
        Self.release(storage, count)
    }

    /// A few times in the ring's life, until the bound is reached; moves the elements without running any of their code.
    private func grow() {
        let larger = min(bound, max(1, capacity.multipliedReportingOverflow(by: 2).partialValue))
        let storage = UnsafeMutablePointer<Element>.allocate(capacity: larger)
        if let old = self.storage {
            storage.moveInitialize(from: old, count: count)
            old.deallocate()
        }
        self.storage = storage
        capacity = larger
    }

    private static func release(_ storage: UnsafeMutablePointer<Element>?, _ count: Int) {
        guard let storage else { return }
        storage.deinitialize(count: count)
        storage.deallocate()
    }
}
