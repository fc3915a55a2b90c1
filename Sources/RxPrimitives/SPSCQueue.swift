// SPDX-License-Identifier: Apache-2.0

// Algorithm: an unbounded single-producer single-consumer queue as a linked list of arrays, after Dmitry Vyukov's
// "unbounded SPSC queue" (1024cores.net), whose consumed nodes also return to the producer, with arrays for nodes as in
// Massimo Torquati's "Single-Producer/Single-Consumer Queues on Shared Cache Multi-Core Systems" (2010). The producer
// publishes a count per chunk; the consumer reads that count once per burst.
//
// Progress: push and pop are wait-free: no loop, no read-modify-write, at most one allocation or deallocation a chunk.
// Threads: one producer at a time calls `push`, one consumer at a time `pop` and `isEmpty`. They may be the same thread.
// A thread that passes a role to another thread orders that with an edge of its own: the word of a drain loop will do.

// The words of the queue and their methods are not generic, only the methods' element type is: a generic struct inside generic
// code that is not specialized costs a look-up of its metadata per call, ten times what a push costs.

/// An unbounded first-in first-out queue between one producer and one consumer.
///
/// Embed it as a `let`: its methods are not `mutating`, so there are neither exclusivity checks nor an object of its own.
/// The first `push` allocates the first chunk of 64 elements, later chunks hold 512, but a few where `closeChunk` ends each behind a few. One
/// consumed chunk is kept for reuse: a producer whose consumer keeps up allocates nothing. Elements left in the queue are released with it.
@frozen
@usableFromInline
package struct SPSCQueue<Element>: ~Copyable {
    @usableFromInline let words = SPSCWords()

    @inlinable
    package init() {}

    /// Producer: appends an element.
    @inlinable @inline(__always)
    package func push(_ element: Element) { words.push(element) }

    /// Consumer: takes the oldest element; nil when there is none.
    @inlinable @inline(__always)
    package func pop() -> Element? { isEmpty ? nil : popKnown() }

    /// Consumer: takes the oldest element, right after `isEmpty` returned false.
    ///
    /// For generic code that is not specialized: there the optional that `pop` returns costs a look-up of its metadata.
    @inlinable @inline(__always)
    package func popKnown() -> Element { words.popKnown(Element.self) }

    /// Consumer: indicates whether `pop` would return nil.
    @inlinable
    package var isEmpty: Bool {
        @inline(__always) get { words.isEmpty }
    }

    // MARK: How full the queue is

    /// Producer: ends the chunk of the last element pushed, so that a chunk of heavy elements holds few of them.
    ///
    /// - Parameter units: what the chunk counts as in the queue's load, at least 1. A full chunk of light elements counts 1. Counts as
    ///   the low watermark at most, so that the queue takes two elements of any weight.
    @inlinable @inline(__always)
    package func closeChunk(units: UInt) { words.closeChunk(units: units) }

    /// Any thread: the load, out of date as soon as it is read.
    @inlinable
    package var load: QueueLoad {
        @inline(__always) get { QueueLoad(word: words.load.loadRelaxed()) }
    }

    /// Any thread: tells whether a source has to pause because the queue is full. If so, `takeWait` returns true once it has emptied.
    @inlinable @inline(__always)
    package func beginWait() -> Bool { words.beginWait() }

    /// Any thread: returns true to one caller if a source waits and the queue has emptied enough.
    @inlinable @inline(__always)
    package func takeWait() -> Bool { words.takeWait() }

    /// Consumer: true if the elements known to be there are used up, and `findMore` has to look for others.
    @inlinable
    package var isUsedUp: Bool {
        @inline(__always) get { words.headIndex.load() == words.headLimit.load() }
    }

    /// Consumer: looks for elements after those known, and returns whether there are any.
    @inlinable @inline(__always)
    package func findMore() -> Bool { words.findMore() }

    /// Consumer: tells, once for each chunk, that a chunk was used up.
    @inlinable @inline(__always)
    package func takeChunkEnd() -> Bool { words.takeChunkEnd() }

    @inlinable
    deinit { words.destroy(Element.self) }
}

/// The words of a queue, and the operations on them.
@frozen
@usableFromInline
struct SPSCWords: ~Copyable {
    // Accessed by the consumer. Elements from `headIndex` up to `headLimit` are known to be there.
    @usableFromInline let head = NonAtomicWord(0)
    @usableFromInline let headIndex = NonAtomicWord(0)
    @usableFromInline let headLimit = NonAtomicWord(0)
    /// 1 if a chunk was used up since `takeChunkEnd` was called.
    @usableFromInline let chunkEnd = NonAtomicWord(0)

    /// The first chunk ever, where a consumer without a chunk looks. Set once by the producer, before anything else.
    @usableFromInline let start = AtomicWord(0)
    /// A chunk to be used again, or 0. Only the consumer fills it when empty, only the producer empties it.
    @usableFromInline let recycled = AtomicWord(0)
    /// A `QueueLoad`: the units of the chunks that were begun and not used up.
    @usableFromInline let load = AtomicWord(0)

    @usableFromInline let paddingBefore = CachePadding()

    // Accessed by the producer, on lines of their own: without the padding a hop between two cores takes 60 ns per event, with it
    // 22. `tailIndex` is the next free slot of a chunk with `tailCapacity`; without a chunk both are 0, which means "full".
    @usableFromInline let tail = NonAtomicWord(0)
    @usableFromInline let tailIndex = NonAtomicWord(0)
    @usableFromInline let tailCapacity = NonAtomicWord(0)

    /// Separates the fields above from those that the owner of the queue stores after it.
    @usableFromInline let paddingBehind = CachePadding()

    @inlinable
    init() {}

    @inlinable @inline(__always)
    func push<Element>(_ element: Element) {
        if tailIndex.load() == tailCapacity.load() {
            appendChunk(stride: MemoryLayout<Element>.stride, alignment: MemoryLayout<Element>.alignment)
        }
        let index = tailIndex.load()
        let chunk = SPSCChunk(tail.load())
        chunk.slot(index, Element.self).initialize(to: element)
        tailIndex.store(index &+ 1)
        // Pairs with the acquiring load in `findMore`. The references in the element are counted before.
        chunk.published.storePublishing(index &+ 1)
    }

    @inlinable @inline(__always)
    func popKnown<Element>(_: Element.Type) -> Element {
        let index = headIndex.load()
        headIndex.store(index &+ 1)
        return SPSCChunk(head.load()).slot(index, Element.self).move()
    }

    @inlinable
    var isEmpty: Bool {
        @inline(__always) get { headIndex.load() == headLimit.load() && !findMore() }
    }

    /// Consumer: looks for elements beyond `headLimit`, and moves to the next chunk when this one is used up.
    @usableFromInline @inline(never)
    func findMore() -> Bool {
        var address = head.load()
        if address == 0 {
            // Pairs with the releasing store in `appendChunk`.
            address = start.loadAcquiring()
            if address == 0 { return false }
            head.store(address)
        }
        // Pairs with the releasing store in `push`.
        var limit = SPSCChunk(address).published.loadAcquiring()
        if headIndex.load() == limit {
            // Pairs with the releasing store in `appendChunk`.
            let next = SPSCChunk(address).next.loadAcquiring()
            if next == 0 { return false }
            // After the load of `next`, which the producer stores after the last element of this chunk.
            limit = SPSCChunk(address).published.loadAcquiring()
            if headIndex.load() == limit {
                head.store(next)
                headIndex.store(0)
                takeOffLoad(address)
                limit = SPSCChunk(next).published.loadAcquiring()
            }
        }
        headLimit.store(limit)
        return headIndex.load() != limit
    }

    /// Consumer: takes a used-up chunk off the load, and recycles it.
    private func takeOffLoad(_ address: UInt) {
        _ = load.fetchAdd(0 &- SPSCChunk(address).units.load() &* QueueLoad.oneUnit)
        chunkEnd.store(1)
        recycle(address)
    }

    @usableFromInline
    func takeChunkEnd() -> Bool {
        if chunkEnd.load() == 0 { return false }
        chunkEnd.store(0)
        return true
    }

    // MARK: Any thread

    @usableFromInline
    func beginWait() -> Bool {
        while true {
            let before = QueueLoad(word: load.loadRelaxed())
            if !before.mustPause { return false }
            // Acquiring and releasing: paired with `takeWait`.
            if before.isAwaited || load.compareExchange(before.word, before.awaited.word) { return true }
        }
    }

    @usableFromInline
    func takeWait() -> Bool {
        while true {
            let before = QueueLoad(word: load.loadRelaxed())
            if !before.canResume { return false }
            // Acquiring and releasing: paired with `beginWait`.
            if load.compareExchange(before.word, before.notAwaited.word) { return true }
        }
    }

    /// Consumer: recycles a used-up chunk to the producer, or frees it if it is the first one or another recycled chunk waits already.
    private func recycle(_ address: UInt) {
        let chunk = SPSCChunk(address)
        // Relaxed: only this thread fills an empty `recycled`, and nothing is read through it here.
        guard chunk.isRecycled, recycled.loadRelaxed() == 0 else { return chunk.deallocate() }
        // Pairs with the acquiring load in `appendChunk`: the elements were moved out before.
        recycled.storeReleasing(address)
    }

    /// Producer: continues with an empty chunk.
    @usableFromInline @inline(never)
    func appendChunk(stride: Int, alignment: Int) {
        let last = tail.load()
        let capacity =
            last == 0 ? SPSCChunk.firstCapacity : SPSCChunk.capacity(after: SPSCChunk(last), of: tailIndex.load())
        var address = takeRecycled(capacity: capacity)
        if address != 0 {
            let chunk = SPSCChunk(address)
            // Relaxed: the release below publishes both.
            chunk.next.storeRelaxed(0)
            chunk.published.storeRelaxed(0)
            chunk.units.store(1)
        } else {
            address = SPSCChunk.allocate(capacity: capacity, stride: stride, alignment: alignment)
        }
        tail.store(address)
        tailIndex.store(0)
        tailCapacity.store(SPSCChunk(address).capacity)
        _ = load.fetchAdd(QueueLoad.oneUnit)
        // Pair with the acquiring loads in `findMore`: the consumer sees the chunk's header as it was set up.
        if last == 0 { start.storeReleasing(address) } else { SPSCChunk(last).next.storeReleasing(address) }
    }

    /// Producer: takes the recycled chunk; returns 0 if there is none of that capacity or more.
    private func takeRecycled(capacity: UInt) -> UInt {
        // Pairs with the releasing store in `recycle`.
        let address = recycled.loadAcquiring()
        if address == 0 { return 0 }
        // Relaxed: the consumer reads nothing through an empty `recycled`.
        recycled.storeRelaxed(0)
        if SPSCChunk(address).capacity >= capacity { return address }
        SPSCChunk(address).deallocate()
        return 0
    }

    /// Producer: makes the next push begin a chunk.
    @usableFromInline
    func closeChunk(units: UInt) {
        tailCapacity.store(tailIndex.load())
        // The consumer takes the last chunk off the load only when the next one begins. A source that waits begins none, so the last chunk
        // alone must not keep it waiting.
        let units = min(units, QueueLoad.lowWatermark)
        // Published by the release in `appendChunk`.
        SPSCChunk(tail.load()).units.store(units)
        if units > 1 { _ = load.fetchAdd((units &- 1) &* QueueLoad.oneUnit) }
    }

    /// Releases the elements and the chunks. By now one thread has the queue to itself, and all pushed elements are visible to
    /// it.
    @inlinable
    func destroy<Element>(_: Element.Type) {
        while !isEmpty {
            let index = headIndex.load()
            let limit = headLimit.load()
            headIndex.store(limit)
            SPSCChunk(head.load()).slot(index, Element.self).deinitialize(count: Int(bitPattern: limit &- index))
        }
        // The last chunk; a consumer that never looked has not made it its own.
        let last = tail.load()
        if last != 0 { SPSCChunk(last).deallocate() }
        let unused = recycled.loadRelaxed()
        if unused != 0 { SPSCChunk(unused).deallocate() }
    }
}

/// A chunk by its address: a header, then the elements.
@frozen
@usableFromInline
struct SPSCChunk {
    #if RX_MODEL_CHECK
        /// Small, so that a few elements run through every path.
        static var firstCapacity: UInt { 2 }
        static var capacity: UInt { 2 }
        static var smallestCapacity: UInt { 1 }
    #else
        static var firstCapacity: UInt { 64 }
        static var capacity: UInt { 512 }
        static var smallestCapacity: UInt { 4 }
    #endif

    @usableFromInline let base: UnsafeMutableRawPointer

    @inlinable @inline(__always)
    init(_ address: UInt) { base = UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped }

    @usableFromInline
    @frozen
    struct Header: ~Copyable {
        /// The chunk after this one, or 0. Once set, it stays until the chunk is recycled.
        @usableFromInline let next = AtomicWord(0)
        /// The number of elements, from the first, that the producer has written. Only rises until the chunk is recycled.
        @usableFromInline let published = AtomicWord(0)
        /// The number of elements that fit.
        @usableFromInline let capacity: UInt
        /// The number of units that the chunk counts as in the queue's load. Final once there is a next chunk.
        @usableFromInline let units = NonAtomicWord(1)

        @usableFromInline
        init(capacity: UInt) { self.capacity = capacity }
    }

    /// The offset of the first element.
    @inlinable @inline(__always)
    static func offset(alignment: Int) -> Int {
        (MemoryLayout<Header>.size + alignment - 1) & ~(alignment - 1)
    }

    static func allocate(capacity: UInt, stride: Int, alignment: Int) -> UInt {
        let base = UnsafeMutableRawPointer.allocate(
            byteCount: offset(alignment: alignment) + Int(bitPattern: capacity) * stride,
            alignment: max(alignment, MemoryLayout<Header>.alignment))
        base.bindMemory(to: Header.self, capacity: 1).initialize(to: Header(capacity: capacity))
        return UInt(bitPattern: base)
    }

    /// Frees the chunk, from which all elements were moved.
    @usableFromInline
    func deallocate() {
        header.deinitialize(count: 1)
        base.deallocate()
    }

    @inlinable var header: UnsafeMutablePointer<Header> {
        @inline(__always) get { base.assumingMemoryBound(to: Header.self) }
    }

    @inlinable var next: AtomicWord {
        @inline(__always) _read { yield header.pointee.next }
    }

    @inlinable var published: AtomicWord {
        @inline(__always) _read { yield header.pointee.published }
    }

    var capacity: UInt { header.pointee.capacity }

    /// The first chunk of a queue is not: a queue of light elements would go on with such small ones.
    var isRecycled: Bool { capacity != SPSCChunk.firstCapacity || capacity == SPSCChunk.capacity }

    /// The capacity of the chunk after one in which `count` elements are: about twice what fits before `closeChunk`.
    ///
    /// Each element of a queue may be so heavy that it ends its chunk, as slices of a large piece of memory are.
    static func capacity(after last: SPSCChunk, of count: UInt) -> UInt {
        if count == last.capacity { return count < firstCapacity ? firstCapacity : capacity }
        return min(max(2 * count, smallestCapacity), capacity)
    }

    var units: NonAtomicWord {
        _read { yield header.pointee.units }
    }

    @inlinable @inline(__always)
    func slot<Element>(_ index: UInt, _: Element.Type) -> UnsafeMutablePointer<Element> {
        (base + SPSCChunk.offset(alignment: MemoryLayout<Element>.alignment)).assumingMemoryBound(to: Element.self)
            + Int(bitPattern: index)
    }
}
