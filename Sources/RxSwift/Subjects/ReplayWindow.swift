/// Remembers the last elements, up to a bound, in a few chunks that are shared with those who read them: what a subscriber is
/// given is neither copied nor walked under the lock.
///
/// An element that is forgotten is released at once, unless a subscriber may be reading it: then with its chunk, a 16th of the
/// bound later at most. A subscriber that is slow in reading keeps the bound and two chunks alive.
@usableFromInline
package final class ReplayWindow<Element>: RecallingCore<Element> {
    // All under the lock.
    /// 16 of full size and one more, and smaller ones from before the bound was reached: each of those doubled the memory.
    private var chunks = ContiguousArray<Chunk>()
    private var first: Chunk?
    private var last: Chunk?
    /// A chunk out of use, so that remembering allocates nothing when the bound is reached.
    private var spare: Chunk?
    private var count = 0
    /// How many elements were ever remembered.
    private var total: UInt64 = 0
    /// The same when a subscriber was last given what is remembered: what came before may be being read.
    private var totalRead: UInt64 = 0
    private let bound: Int
    private let chunkCapacity: Int
    /// Whether elements hold no references.
    private let isPlainBytes = _isPOD(Element.self)

    /// - Parameter bound: how many elements to remember, at most; more than `ReplayRing` takes.
    init(name: StaticString, bound: Int, recall: Recall) {
        self.bound = bound
        chunkCapacity = max(ReplayRing<Element>.largestBound, bound / 16 + 1)
        super.init(name: name, recall: recall)
    }

    override func keepAndUnlock(_ element: Element) {
        guard count == bound, let first, let last, first.start &+ UInt64(first.live) >= totalRead, !first.hasLeft,
            first.live + 1 < first.capacity, last.count < last.capacity
        else { return keepSlowlyAndUnlock(element) }
        let place = first.elements + first.live
        first.live += 1
        total &+= 1
        if isPlainBytes {
            (last.elements + last.count).initialize(to: element)
            last.count += 1
            return lock.unlock()
        }
        let forgotten = place.move()
        (last.elements + last.count).initialize(to: element)
        last.count += 1
        lock.unlock()
        withExtendedLifetime(forgotten) {}
    }

    /// Before the bound is reached, where a chunk begins or ends, and where what is forgotten may be being read. Apart, as it names
    /// types of which code that is not specialized looks up the metadata.
    @inline(never)
    private func keepSlowlyAndUnlock(_ element: Element) {
        guard count == bound, let first else {
            append(element)
            count += 1
            return lock.unlock()
        }
        if first.hasLeft || first.start &+ UInt64(first.live) < totalRead {
            first.leave()
            let gone = dropFirstIfOver()
            append(element)
            lock.unlock()
            return withExtendedLifetime(gone) {}
        }
        let forgotten = (first.elements + first.live).move()
        first.live += 1
        let gone = dropFirstIfOver()
        append(element)
        lock.unlock()
        withExtendedLifetime(forgotten) {}
        withExtendedLifetime(gone) {}
    }

    private func append(_ element: Element) {
        var chunk = last
        if chunk == nil || chunk!.count == chunk!.capacity { chunk = addChunk() }
        (chunk!.elements + chunk!.count).initialize(to: element)
        chunk!.count += 1
        total &+= 1
    }

    @inline(never)
    private func addChunk() -> Chunk {
        let chunk = spare.take() ?? Chunk(capacity: min(chunkCapacity, max(8, count)))
        chunk.start = total
        chunks.append(chunk)
        if first == nil { first = chunk }
        last = chunk
        return chunk
    }

    /// Takes the first chunk out when all of it is forgotten, and returns it unless it is kept for later.
    private func dropFirstIfOver() -> Chunk? {
        guard let over = first, over.live == over.capacity else { return nil }
        chunks.removeFirst()
        first = chunks.first
        if over.hasLeft || over.capacity < chunkCapacity || spare != nil { return over }
        over.reset()
        spare = over
        return nil
    }

    /// Nothing is copied, so no room is needed.
    override var keptCount: Int { 0 }

    override func recall(into recollection: inout Recollection<Element>) {
        guard let first else { return }
        totalRead = total
        recollection.refer(to: Excerpt(chunks: chunks, start: first.live, count: count))
    }

    override func clearAndUnlock() {
        let kept = (chunks, spare)
        chunks = []
        first = nil
        last = nil
        spare = nil
        count = 0
        lock.unlock()
        withExtendedLifetime(kept) {}
    }

    /// What was remembered at some moment.
    struct Excerpt {
        let chunks: ContiguousArray<Chunk>
        /// Where it begins in the first chunk.
        let start: Int
        let count: Int

        /// Hands out the elements, oldest first, as long as `body` returns true.
        func visit(_ body: (Element) -> Bool) {
            var start = start
            var rest = count
            for chunk in chunks {
                let end = min(chunk.capacity, start + rest)
                for index in start..<end where !body(chunk.elements[index]) { return }
                rest -= end - start
                start = 0
                if rest == 0 { return }
            }
        }
    }

    /// A part of what is remembered. Readers see elements that are not changed as long as they may be reading them.
    final class Chunk {
        let elements: UnsafeMutablePointer<Element>
        let capacity: Int
        // Under the lock of the subject, and not for readers.
        /// The number of the first element.
        var start: UInt64 = 0
        /// How many elements were ever put in.
        var count = 0
        /// The first element that is not forgotten.
        var live = 0
        /// The first element that is forgotten, but still here, as it may be being read; `.max` if there is none. All behind it
        /// stay, too, so that what is initialized is one range.
        var firstLeft = Int.max

        init(capacity: Int) {
            self.capacity = capacity
            elements = .allocate(capacity: capacity)
        }

        deinit {
            let first = min(firstLeft, live)
            (elements + first).deinitialize(count: count - first)
            elements.deallocate()
        }

        var hasLeft: Bool { firstLeft != .max }

        /// Forgets the first element without releasing it.
        func leave() {
            if !hasLeft { firstLeft = live }
            live += 1
        }

        /// Makes an empty chunk of one whose elements were all moved out.
        func reset() {
            count = 0
            live = 0
        }
    }
}
