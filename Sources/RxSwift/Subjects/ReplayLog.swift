/// Remembers all elements, in chunks that are written once: a newcomer reads its part of them without a lock or a copy.
@usableFromInline
package final class ReplayLog<Element>: RecallingCore<Element> {
    // All under the lock.
    private var first: Chunk?
    private var last: Chunk?
    private var count = 0

    package init(name: StaticString) {
        super.init(name: name, recall: .always)
    }

    deinit {
        Chunk.release(first.take())
    }

    override func keepAndUnlock(_ element: Element) {
        if last?.append(element) != true {
            let chunk = Chunk(capacity: min(4096, max(8, count)))
            _ = chunk.append(element)
            if let last {
                last.next = chunk
            } else {
                first = chunk
            }
            last = chunk
        }
        count += 1
        lock.unlock()
    }

    /// Nothing is copied, so no room is needed.
    override var keptCount: Int { 0 }

    override func recall(into recollection: inout Recollection<Element>) {
        if let first { recollection.refer(to: Excerpt(first: first, count: count)) }
    }

    override func clearAndUnlock() {
        let first = self.first.take()
        last = nil
        count = 0
        lock.unlock()
        Chunk.release(first)
    }

    /// The oldest `count` elements of a log at some moment.
    struct Excerpt {
        let first: Chunk
        let count: Int

        /// Hands out the elements, oldest first, as long as `body` returns true.
        func visit(_ body: (Element) -> Bool) {
            var chunk = first
            var rest = count
            while true {
                for index in 0..<min(rest, chunk.capacity) where !body(chunk.elements[index]) { return }
                rest -= chunk.capacity
                // Where more was remembered there is a next chunk, written before this excerpt was made.
                if rest <= 0 { return }
                chunk = chunk.next!
            }
        }
    }

    /// A part of the log. What is written is not changed any more.
    final class Chunk {
        let elements: UnsafeMutablePointer<Element>
        let capacity: Int
        /// Written under the log's lock; not for readers.
        private var count = 0
        fileprivate(set) var next: Chunk?

        init(capacity: Int) {
            self.capacity = capacity
            elements = .allocate(capacity: capacity)
        }

        deinit {
            elements.deinitialize(count: count)
            elements.deallocate()
        }

        /// Returns false if there is no room.
        func append(_ element: Element) -> Bool {
            if count == capacity { return false }
            (elements + count).initialize(to: element)
            count += 1
            return true
        }

        /// Lets go of a chain of chunks one by one, without recursion.
        static func release(_ first: consuming Chunk?) {
            var chunk = consume first
            while chunk != nil, isKnownUniquelyReferenced(&chunk) {
                chunk = chunk?.next.take()
            }
        }
    }
}
