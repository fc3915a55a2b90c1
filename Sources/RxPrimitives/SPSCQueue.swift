// Algorithm: an unbounded single-producer single-consumer queue as a linked list of arrays, after Dmitry Vyukov's
// "unbounded SPSC queue" (1024cores.net), whose consumed nodes also return to the producer, with arrays for nodes as in
// Massimo Torquati's "Single-Producer/Single-Consumer Queues on Shared Cache Multi-Core Systems" (2010). The producer
// publishes a count per chunk; the consumer reads that count once per burst.
//
// Progress: push and pop are wait-free: no loop, no read-modify-write, at most one allocation or deallocation a chunk.
// Threads: one producer at a time calls `push`, one consumer at a time `pop` and `isEmpty`. They may be the same thread.
// Who hands a role to another thread orders that with an edge of its own: the work counter of a drain loop will do.

/// An unbounded first-in first-out queue between one producer and one consumer.
///
/// Embed it as a `let`: its methods are not `mutating`, so there are neither exclusivity checks nor an object of its own.
/// The first `push` allocates the first chunk of 64 elements. One consumed chunk is kept for reuse: a producer whose consumer
/// keeps up allocates nothing. Elements that are left when the queue goes are released then.
@frozen
@usableFromInline
package struct SPSCQueue<Element>: ~Copyable {
    @usableFromInline typealias Chunk = SPSCChunk<Element>

    // The consumer's. Elements from `headIndex` up to `headLimit` are known to be there.
    @usableFromInline let head = ConfinedWord(0)
    @usableFromInline let headIndex = ConfinedWord(0)
    @usableFromInline let headLimit = ConfinedWord(0)

    /// The first chunk ever, where a consumer without a chunk looks. Set once by the producer, before anything else.
    @usableFromInline let start = AtomicWord(0)
    /// A chunk to be used again, or 0. Only the consumer fills it when empty, only the producer empties it.
    @usableFromInline let spare = AtomicWord(0)

    // The producer's. Padding towards the consumer's words changed nothing that could be measured.
    // `tailIndex` is the next free slot; without a chunk it says "full".
    @usableFromInline let tail = ConfinedWord(0)
    @usableFromInline let tailIndex = ConfinedWord(Chunk.capacity)

    @inlinable
    package init() {}

    /// Producer: appends an element.
    @inlinable
    package func push(_ element: __owned Element) {
        var index = tailIndex.load()
        if index == Chunk.capacity {
            appendChunk()
            index = 0
        }
        let chunk = Chunk(tail.load())
        chunk.slot(index).initialize(to: element)
        tailIndex.store(index &+ 1)
        // Pairs with the acquiring load in `findMore`.
        chunk.published.storeReleasing(index &+ 1)
    }

    /// Consumer: takes the oldest element; nil when there is none.
    @inlinable
    package func pop() -> Element? {
        let index = headIndex.load()
        if index != headLimit.load() {
            headIndex.store(index &+ 1)
            return Chunk(head.load()).slot(index).move()
        }
        guard findMore() else { return nil }
        let first = headIndex.load()
        headIndex.store(first &+ 1)
        return Chunk(head.load()).slot(first).move()
    }

    /// Consumer: takes the oldest element, right after `isEmpty` said false.
    ///
    /// For generic code that is not specialized: there the optional that `pop` returns costs a look-up of its metadata.
    @inlinable @inline(__always)
    package func popKnown() -> Element {
        let index = headIndex.load()
        headIndex.store(index &+ 1)
        return Chunk(head.load()).slot(index).move()
    }

    /// Consumer: whether `pop` would return nil.
    @inlinable
    package var isEmpty: Bool { headIndex.load() == headLimit.load() && !findMore() }

    /// Consumer: looks for elements beyond `headLimit`, and moves on to the next chunk when this one is used up.
    @inlinable
    @inline(never)
    func findMore() -> Bool {
        var address = head.load()
        if address == 0 {
            // Pairs with the releasing store in `appendChunk`.
            address = start.loadAcquiring()
            if address == 0 { return false }
            head.store(address)
        } else if headIndex.load() == Chunk.capacity {
            // Pairs with the releasing store in `appendChunk`.
            let next = Chunk(address).next.loadAcquiring()
            if next == 0 { return false }
            head.store(next)
            headIndex.store(0)
            headLimit.store(0)
            recycle(address)
            address = next
        }
        // Pairs with the releasing store in `push`.
        let limit = Chunk(address).published.loadAcquiring()
        headLimit.store(limit)
        return headIndex.load() != limit
    }

    /// Consumer: leaves a chunk that is used up to the producer, or frees it when one is waiting there already.
    @inlinable
    func recycle(_ address: UInt) {
        // Relaxed: only this thread fills an empty `spare`, and nothing is read through it here.
        guard spare.loadRelaxed() == 0 else { return Chunk(address).deallocate() }
        // Pairs with the acquiring load in `appendChunk`: the elements were moved out before.
        spare.storeReleasing(address)
    }

    /// Producer: goes on to an empty chunk.
    @inlinable
    @inline(never)
    func appendChunk() {
        // Pairs with the releasing store in `recycle`.
        var address = spare.loadAcquiring()
        if address != 0 {
            // Relaxed: the consumer reads nothing through an empty `spare`.
            spare.storeRelaxed(0)
            let chunk = Chunk(address)
            // Relaxed: the release below publishes both.
            chunk.next.storeRelaxed(0)
            chunk.published.storeRelaxed(0)
        } else {
            address = Chunk.allocate()
        }
        let last = tail.load()
        tail.store(address)
        tailIndex.store(0)
        // Pair with the acquiring loads in `findMore`: the consumer sees the chunk's header as it was set up.
        if last == 0 { start.storeReleasing(address) } else { Chunk(last).next.storeReleasing(address) }
    }

    @inlinable
    deinit {
        // By now one thread has the queue to itself, and what was pushed before is visible to it.
        while !isEmpty {
            let index = headIndex.load()
            let limit = headLimit.load()
            headIndex.store(limit)
            Chunk(head.load()).slot(index).deinitialize(count: Int(bitPattern: limit &- index))
        }
        // The last chunk; a consumer that never looked has not made it its own.
        let last = tail.load()
        if last != 0 { Chunk(last).deallocate() }
        let unused = spare.loadRelaxed()
        if unused != 0 { Chunk(unused).deallocate() }
    }
}

/// A chunk by its address: two words of header, then the elements.
@frozen
@usableFromInline
struct SPSCChunk<Element> {
    #if RX_MODEL_CHECK
        /// Small, so that a few elements run through every path.
        @inlinable static var capacity: UInt { 2 }
    #else
        @inlinable static var capacity: UInt { 64 }
    #endif

    @usableFromInline let base: UnsafeMutableRawPointer

    @inlinable @inline(__always)
    init(_ address: UInt) { base = UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped }

    @usableFromInline
    @frozen
    struct Header: ~Copyable {
        /// The chunk after this one, or 0. Once set, it stays until the chunk is recycled.
        @usableFromInline let next = AtomicWord(0)
        /// How many elements, from the first, the producer has written. Only ever rises until the chunk is recycled.
        @usableFromInline let published = AtomicWord(0)

        @inlinable init() {}
    }

    @inlinable static var offset: Int {
        @inline(__always) get {
            let mask = MemoryLayout<Element>.alignment - 1
            return (MemoryLayout<Header>.size + mask) & ~mask
        }
    }

    @inlinable static var alignment: Int {
        @inline(__always) get { max(MemoryLayout<Element>.alignment, MemoryLayout<Header>.alignment) }
    }

    @inlinable
    static func allocate() -> UInt {
        let base = UnsafeMutableRawPointer.allocate(
            byteCount: offset + Int(bitPattern: capacity) * MemoryLayout<Element>.stride, alignment: alignment)
        base.bindMemory(to: Header.self, capacity: 1).initialize(to: Header())
        return UInt(bitPattern: base)
    }

    /// Frees the chunk, from which all elements were moved.
    @inlinable
    func deallocate() { base.deallocate() }

    @inlinable var header: UnsafeMutablePointer<Header> {
        @inline(__always) get { base.assumingMemoryBound(to: Header.self) }
    }

    @inlinable var next: AtomicWord {
        @inline(__always) _read { yield header.pointee.next }
    }

    @inlinable var published: AtomicWord {
        @inline(__always) _read { yield header.pointee.published }
    }

    @inlinable @inline(__always)
    func slot(_ index: UInt) -> UnsafeMutablePointer<Element> {
        (base + SPSCChunk.offset).assumingMemoryBound(to: Element.self) + Int(bitPattern: index)
    }
}
