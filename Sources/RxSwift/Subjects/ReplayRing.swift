// SPDX-License-Identifier: Apache-2.0

/// Remembers the last elements, up to a small bound. Remembering one when the bound is reached allocates nothing.
///
/// The elements for a subscriber are copied under the lock, hence the limit of the bound: `remembering` makes a core that suits a larger one.
@usableFromInline
package final class ReplayRing<Element>: ReplayCore<Element> {
    // The lock protects the following fields.
    private var storage: UnsafeMutablePointer<Element>?
    private var capacity = 0
    /// The place of the oldest element. 0 until the bound is reached.
    private var oldest = 0
    private var count = 0
    private let bound: Int
    /// True if elements hold no references.
    private let isPlainBytes = _isPOD(Element.self)

    /// The most elements that may be copied under the lock.
    static var largestBound: Int { 128 }

    /// A core that remembers the last elements.
    ///
    /// - Parameter bound: how many elements to remember, at most; not negative.
    package static func remembering(name: StaticString, bound: Int, policy: ReplayPolicy) -> ReplayCore<Element> {
        if bound > largestBound { return ReplayWindow(name: name, bound: bound, policy: policy) }
        return ReplayRing(name: name, bound: bound, policy: policy)
    }

    /// - Parameter bound: how many elements to remember, at most: 0 to `largestBound`.
    package init(name: StaticString, bound: Int, policy: ReplayPolicy) {
        self.bound = bound
        super.init(name: name, policy: policy)
    }

    deinit {
        Self.release(storage, count)
    }

    /// The newest element; read under the lock, when there is one.
    var newest: Element {
        storage![(oldest == 0 ? count : oldest) - 1]
    }

    override func keepAndUnlock(_ element: Element) {
        guard count == bound, let storage else { return keepFurtherAndUnlock(element) }
        let place = oldest
        oldest = place &+ 1 == bound ? 0 : place &+ 1
        if isPlainBytes {
            // Assigned, because initializing would copy the element twice in code that is not specialized.
            storage[place] = element
            return lock.unlock()
        }
        let forgotten = (storage + place).move()
        (storage + place).initialize(to: element)
        lock.unlock()
        withExtendedLifetime(forgotten) {}
    }

    @inline(never)
    private func keepFurtherAndUnlock(_ element: Element) {
        if count < bound {
            if count == capacity { grow() }
            (storage! + count).initialize(to: element)
            count += 1
        }
        lock.unlock()
    }

    override var keptCount: Int { count }

    override func takeSnapshot(into snapshot: inout ReplaySnapshot) {
        guard let storage else { return }
        snapshot.append(storage + oldest, count: count - oldest)
        snapshot.append(storage, count: oldest)
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

    /// Enlarges the ring, a few times in its life, until the bound is reached. Moves the elements without running any of their code.
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
