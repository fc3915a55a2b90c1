// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Remembers all elements, in chunks that are written once: a new subscriber reads its part of them without a lock or a copy.
@usableFromInline
package final class ReplayLog<Element>: ReplayCore<Element> {
    // The lock protects the following fields.
    private var first: Chunk?
    private var last: Chunk?
    // Copied from the last chunk, so that the place of an element is reached without the chunk.
    private var elementsOfLast: UnsafeMutablePointer<Element>?
    private var capacityOfLast = 0
    private var countOfLast = 0
    /// The number of elements in the chunks before the last.
    private var countBefore = 0

    package init(name: StaticString) {
        super.init(name: name, policy: .always)
    }

    deinit {
        sealChunk()
        Chunk.release(first.take())
    }

    override func keepAndUnlock(_ element: Element) {
        if countOfLast == capacityOfLast { addChunk() }
        (elementsOfLast! + countOfLast).initialize(to: element)
        countOfLast &+= 1
        lock.unlock()
    }

    @inline(never)
    private func addChunk() {
        sealChunk()
        let chunk = Chunk(capacity: min(4096, max(8, countBefore)))
        if let last {
            last.next = chunk
        } else {
            first = chunk
        }
        last = chunk
        elementsOfLast = chunk.elements
        capacityOfLast = chunk.capacity
    }

    /// Stores in the last chunk how many elements it has, which only this object counts until then.
    private func sealChunk() {
        last?.count = countOfLast
        countBefore += countOfLast
        countOfLast = 0
        capacityOfLast = 0
    }

    /// Nothing is copied, so no room is needed.
    override var keptCount: Int { 0 }

    override func takeSnapshot(into snapshot: inout ReplaySnapshot) {
        guard let first else { return }
        snapshot.chain = first
        snapshot.count = countBefore + countOfLast
    }

    override func visit(_ snapshot: borrowing ReplaySnapshot, _ body: (Element) -> Bool) {
        guard let first = snapshot.chain else { return }
        var chunk = unsafeDowncast(first, to: Chunk.self)
        var rest = snapshot.count
        while true {
            for index in 0..<min(rest, chunk.capacity) where !withBorrowed(chunk.elements + index, to: body) { return }
            rest -= chunk.capacity
            // If more was remembered, there is a next chunk, written before the snapshot was made.
            if rest <= 0 { return }
            chunk = chunk.next!
        }
    }

    override func clearAndUnlock() {
        sealChunk()
        let first = self.first.take()
        last = nil
        countBefore = 0
        lock.unlock()
        Chunk.release(first)
    }

    /// A part of the log. An element that was written is not changed any more.
    final class Chunk {
        let elements: UnsafeMutablePointer<Element>
        let capacity: Int
        /// The number of elements, written under the log's lock when there will be no more; not for readers.
        fileprivate var count = 0
        fileprivate(set) var next: Chunk?

        init(capacity: Int) {
            self.capacity = capacity
            elements = .allocate(capacity: capacity)
        }

        deinit {
            elements.deinitialize(count: count)
            elements.deallocate()
        }

        /// Releases a chain of chunks one by one, without recursion.
        static func release(_ first: consuming Chunk?) {
            var chunk = consume first
            while chunk != nil, isKnownUniquelyReferenced(&chunk) {
                chunk = chunk?.next.take()
            }
        }
    }
}
