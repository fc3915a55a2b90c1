// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Remembers the last elements, up to a bound, in a few chunks that are shared with their readers.
///
/// The elements for a subscriber are neither copied nor walked under the lock.
/// An element that is forgotten is released at once, unless a subscriber may be reading it: then with its chunk, a 16th of the
/// bound later at most. A subscriber that reads slowly keeps the bound and two chunks alive.
@usableFromInline
package final class ReplayWindow<Element>: ReplayCore<Element> {
    // The lock protects the following fields.
    /// 16 of full size and one more, and smaller ones from before the bound was reached: each of those doubled the memory.
    private var chunks = ContiguousArray<ReplayChunk>()
    private var first: ReplayChunk?
    private var last: ReplayChunk?
    /// A chunk out of use, so that remembering allocates nothing when the bound is reached.
    private var recycled: ReplayChunk?
    private var count = 0
    /// The number of elements ever remembered.
    private var total: UInt64 = 0
    /// The value of `total` when a subscriber was last given the remembered elements: earlier elements may be being read.
    private var totalRead: UInt64 = 0
    /// The number of next elements that each take a place from `newest` on while one from `oldest` on is forgotten. The chunks are updated
    /// afterwards, for all of them.
    private var swapLimit = 0
    private var swaps = 0
    private var oldest: UnsafeMutablePointer<Element>?
    private var newest: UnsafeMutablePointer<Element>?
    private let bound: Int
    private let chunkCapacity: Int
    /// True if elements hold no references.
    private let isPlainBytes = _isPOD(Element.self)

    /// - Parameter bound: how many elements to remember, at most; more than `ReplayRing` takes.
    init(name: StaticString, bound: Int, policy: ReplayPolicy) {
        self.bound = bound
        chunkCapacity = max(ReplayRing<Element>.largestBound, bound / 16 + 1)
        super.init(name: name, policy: policy)
    }

    deinit { commitSwaps() }

    override func keepAndUnlock(_ element: Element) {
        guard swaps < swapLimit, let oldest, let newest else { return keepSlowlyAndUnlock(element) }
        let place = swaps
        swaps = place &+ 1
        if isPlainBytes {
            // Assigned, because initializing would copy the element twice in code that is not specialized.
            newest[place] = element
            return lock.unlock()
        }
        let forgotten = (oldest + place).move()
        (newest + place).initialize(to: element)
        lock.unlock()
        withExtendedLifetime(forgotten) {}
    }

    /// Remembers an element before the bound is reached, where a chunk begins or ends, and where the forgotten element may be being read.
    @inline(never)
    private func keepSlowlyAndUnlock(_ element: Element) {
        commitSwaps()
        guard count == bound, let first else {
            append(element)
            count += 1
            return lock.unlock()
        }
        if first.hasLeft || first.start &+ UInt64(first.forgottenCount) < totalRead {
            first.leave()
            let gone = dropFirstIfOver()
            append(element)
            prepareSwaps()
            lock.unlock()
            return withExtendedLifetime(gone) {}
        }
        let forgotten = (first.elements(of: Element.self) + first.forgottenCount).move()
        first.forgottenCount += 1
        let gone = dropFirstIfOver()
        append(element)
        prepareSwaps()
        lock.unlock()
        withExtendedLifetime(forgotten) {}
        withExtendedLifetime(gone) {}
    }

    /// Counts, in their chunks, the elements that were put in and forgotten since `prepareSwaps`.
    private func commitSwaps() {
        let done = UInt64(swaps)
        swapLimit = 0
        swaps = 0
        guard done > 0, let first, let last else { return }
        first.forgottenCount += Int(done)
        last.count += Int(done)
        total &+= done
    }

    /// Determines how many elements can be put in, one for one that is forgotten, before a chunk begins or ends.
    private func prepareSwaps() {
        guard let first, let last, !first.hasLeft, first.start &+ UInt64(first.forgottenCount) >= totalRead else {
            return
        }
        swapLimit = max(0, min(first.capacity - first.forgottenCount - 1, last.capacity - last.count))
        oldest = first.elements(of: Element.self) + first.forgottenCount
        newest = last.elements(of: Element.self) + last.count
    }

    private func append(_ element: Element) {
        var chunk = last
        if chunk == nil || chunk!.count == chunk!.capacity { chunk = addChunk() }
        (chunk!.elements(of: Element.self) + chunk!.count).initialize(to: element)
        chunk!.count += 1
        total &+= 1
    }

    @inline(never)
    private func addChunk() -> ReplayChunk {
        let chunk: ReplayChunk = recycled.take() ?? Chunk(capacity: min(chunkCapacity, max(8, count)))
        chunk.start = total
        chunks.append(chunk)
        if first == nil { first = chunk }
        last = chunk
        return chunk
    }

    /// Removes the first chunk when all of it is forgotten, and returns it unless it is kept for later.
    private func dropFirstIfOver() -> ReplayChunk? {
        guard let over = first, over.forgottenCount == over.capacity else { return nil }
        chunks.removeFirst()
        first = chunks.first
        if over.hasLeft || over.capacity < chunkCapacity || recycled != nil { return over }
        over.reset()
        recycled = over
        return nil
    }

    /// Nothing is copied, so no room is needed.
    override var keptCount: Int { 0 }

    override func takeSnapshot(into snapshot: inout ReplaySnapshot) {
        guard let first else { return }
        commitSwaps()
        totalRead = total
        snapshot.chunks = chunks
        snapshot.start = first.forgottenCount
        snapshot.count = count
    }

    override func visit(_ snapshot: borrowing ReplaySnapshot, _ body: (Element) -> Bool) {
        var start = snapshot.start
        var rest = snapshot.count
        for chunk in snapshot.chunks {
            let elements = chunk.elements(of: Element.self)
            let end = min(chunk.capacity, start + rest)
            for index in start..<end where !withBorrowed(elements + index, to: body) { return }
            rest -= end - start
            start = 0
            if rest == 0 { return }
        }
    }

    override func clearAndUnlock() {
        commitSwaps()
        let kept = (chunks, recycled)
        chunks = []
        first = nil
        last = nil
        recycled = nil
        count = 0
        lock.unlock()
        withExtendedLifetime(kept) {}
    }

    /// A chunk that releases its elements.
    private final class Chunk: ReplayChunk {
        init(capacity: Int) {
            let elements = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
            super.init(memory: UnsafeMutableRawPointer(elements), capacity: capacity)
        }

        deinit {
            let first = min(firstLeft, forgottenCount)
            let elements = memory.assumingMemoryBound(to: Element.self)
            (elements + first).deinitialize(count: count - first)
            elements.deallocate()
        }
    }
}

/// A part of the elements that a `ReplayWindow` remembers. An element is not changed as long as readers may be reading it.
///
/// It is not generic, so that code which is not specialized does not look up its type; its subclass knows how to release the elements.
class ReplayChunk {
    final let memory: UnsafeMutableRawPointer
    final let capacity: Int
    // The lock of the subject protects the following fields, which are not for readers.
    /// The number of the first element.
    final var start: UInt64 = 0
    /// The number of elements ever put in.
    final var count = 0
    /// The number of forgotten elements, which is the index of the first element that is not forgotten.
    final var forgottenCount = 0
    /// The first element that is forgotten, but still here, as it may be being read; `.max` if there is none. All later
    /// elements stay, too, so that what is initialized is one range.
    final var firstLeft = Int.max

    init(memory: UnsafeMutableRawPointer, capacity: Int) {
        self.memory = memory
        self.capacity = capacity
    }

    final func elements<Element>(of type: Element.Type) -> UnsafeMutablePointer<Element> {
        memory.assumingMemoryBound(to: Element.self)
    }

    final var hasLeft: Bool { firstLeft != .max }

    /// Forgets the first element without releasing it.
    final func leave() {
        if !hasLeft { firstLeft = forgottenCount }
        forgottenCount += 1
    }

    /// Makes an empty chunk of one whose elements were all moved out.
    final func reset() {
        count = 0
        forgottenCount = 0
    }
}
