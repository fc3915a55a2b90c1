// SPDX-License-Identifier: Apache-2.0

// WorkStealingDeque: one thread's work, which others may take from the other end.
//
// Algorithm: D. Chase and Y. Lev, "Dynamic Circular Work-Stealing Deque" (SPAA 2005), with the orderings of N. M. Le, A. Pop,
// A. Cohen and F. Zappella Nardelli, "Correct and Efficient Work-Stealing for Weak Memory Models" (PPoPP 2013) in mind, but
// without their fences, which ThreadSanitizer does not see.
// The heart: `pop` lowers `bottom` and then reads `top`; `steal` reads `top` and then `bottom`, and then raises `top`. If the
// load in `pop` could be done before its store is visible, owner and thief could both take the last word. So each write of
// `bottom` that takes or publishes is a sequentially consistent exchange, each step of `top` a sequentially consistent
// compare-exchange, and each read of them on which a decision rests a sequentially consistent load: in the one order of all
// these operations either the owner sees the thief's `top`, or the thief sees the owner's `bottom`. (On x86 the exchange is the
// full barrier and the loads are plain; on arm64 they are a pair of `ldaxr`/`stlxr`, or `swpal`, and `ldar`.)
// `push` exchanges, too, and does not store: a thread that pushes and then looks whether a worker sleeps relies on the same argument.
//
// Progress: `push` and `pop` are wait-free but for the allocator; `steal` is lock-free: a thief tries again only if another one
// got a word.
// Threads: `push` and `pop` by the owner, one thread at a time, each after the other one; `steal` and `isEmpty` by any thread.
// Words in outgrown rings stay readable: a ring is freed with the deque. Together they take less than the last one.

/// A deque of words, none of them 0: the owner pushes and pops at one end, and any thread steals from the other end.
///
/// The object that a word stands for belongs to the thread that takes the word; objects of words left in the deque are not
/// released with it.
package struct WorkStealingDeque: ~Copyable {
    /// The index of the oldest word. Only rises, by the thread that takes that word.
    private let top = AtomicWord(0)
    private let padding = CachePadding()
    /// The index after the newest word. Only the owner writes it.
    private let bottom = AtomicWord(0)
    /// 0, or the address of the ring in use. Written by the owner.
    private let ring = AtomicWord(0)
    private let initialCapacity: Int

    /// An empty deque. Memory for the words is allocated by the first `push`.
    ///
    /// - Parameter initialCapacity: a power of two.
    package init(initialCapacity: Int = 64) {
        precondition(
            initialCapacity > 0 && initialCapacity & (initialCapacity - 1) == 0,
            "WorkStealingDeque(initialCapacity: \(initialCapacity)): must be a power of two")
        self.initialCapacity = initialCapacity
    }

    deinit {
        var ring = Ring(address: ring.loadRelaxed())
        while let outgrown = ring {
            ring = outgrown.previous
            outgrown.deallocate()
        }
    }

    /// True if there was nothing to take, at one moment during the call. After a `push` that the caller has come to know of it is
    /// false until that word is taken.
    package var isEmpty: Bool {
        // Sequentially consistent: paired with the exchanges of `bottom`.
        let oldest = top.loadSequentially()
        return Int(bitPattern: bottom.loadSequentially() &- oldest) <= 0
    }

    /// Pushes a word as the newest. Called only by the owner.
    package func push(_ word: UInt) {
        let end = bottom.loadRelaxed()
        ringForOneMore(at: end).store(word, at: end)
        // Releasing: paired with the load of `bottom` in `steal`. Sequentially consistent: see above.
        _ = bottom.exchangeSequentially(end &+ 1)
    }

    /// Pushes the words that a closure returns, the first of them as the oldest, until there are `limit` or it returns nil.
    ///
    /// They become visible together. Called only by the owner.
    @inline(__always)
    package func push(upTo limit: Int, _ next: () -> UInt?) {
        let begin = bottom.loadRelaxed()
        var end = begin
        while Int(bitPattern: end &- begin) < limit, let word = next() {
            ringForOneMore(at: end).store(word, at: end)
            end &+= 1
        }
        if end != begin { _ = bottom.exchangeSequentially(end) }
    }

    /// Takes the newest word. Called only by the owner.
    package func pop() -> UInt? {
        let begin = top.loadRelaxed()
        let end = bottom.loadRelaxed()
        // `top` only rises: a deque that looks empty to the owner is empty.
        if Int(bitPattern: end &- begin) <= 0 { return nil }
        let newest = end &- 1
        _ = bottom.exchangeSequentially(newest)
        let oldest = top.loadSequentially()
        let left = Int(bitPattern: newest &- oldest)
        if left > 0 { return Ring(address: ring.loadRelaxed())?.load(at: newest) }
        var word: UInt?
        if left == 0 {
            word = Ring(address: ring.loadRelaxed())?.load(at: newest)
            // A thief may want this one, too.
            if !top.compareExchangeSequentially(newest, end) { word = nil }
        }
        // A store is enough: a thief that does not see it yet finds the deque empty, which it is. Releasing: this word, too,
        // may be read by the load of `bottom` in `steal`.
        bottom.storeReleasing(end)
        return word
    }

    /// Takes the oldest word. Called by any thread.
    ///
    /// - Returns: nil if there was none, in the sense of `isEmpty`.
    package func steal() -> UInt? {
        while true {
            // Both sequentially consistent, in this order: see above.
            let oldest = top.loadSequentially()
            let end = bottom.loadSequentially()
            if Int(bitPattern: end &- oldest) <= 0 { return nil }
            // Acquiring: paired with the release in `grow`. The ring may be outgrown by now; the word in it is still right, if
            // the thief gets it.
            guard let ring = Ring(address: ring.loadAcquiring()) else { return nil }
            // Read before it is taken: afterwards the owner may write to the slot.
            let word = ring.load(at: oldest)
            if top.compareExchangeSequentially(oldest, oldest &+ 1) { return word }
        }
    }

    /// The result of a steal that spares a single word at first.
    package enum StealResult: Equatable {
        case word(UInt)
        case nothing
        /// There is only one word, at this index, and it was left.
        case only(UInt)
    }

    /// Takes the oldest word, but leaves a single one to its owner at first. Called by any thread.
    ///
    /// The owner is likely to take it at once: when both reach for it, it and the line of `top` go back and forth between their
    /// processors.
    ///
    /// - Parameter skipped: the index of a word that was left before. It is taken now.
    package func steal(sparing skipped: UInt?) -> StealResult {
        let oldest = top.loadSequentially()
        if Int(bitPattern: bottom.loadSequentially() &- oldest) == 1, oldest != skipped { return .only(oldest) }
        return steal().map { .word($0) } ?? .nothing
    }

    /// The ring in use, or a larger one if that is full.
    @inline(__always)
    private func ringForOneMore(at end: UInt) -> Ring {
        if let ring = Ring(address: ring.loadRelaxed()) {
            // Acquiring: paired with the compare-exchange in `steal`, which comes after the thief's load from the slot.
            if Int(bitPattern: end &- top.loadAcquiring()) < ring.capacity { return ring }
            return grow(from: ring, end: end)
        }
        return grow(from: nil, end: end)
    }

    @inline(never)
    private func grow(from old: Ring?, end: UInt) -> Ring {
        let new = Ring(capacity: old.map { $0.capacity * 2 } ?? initialCapacity, previous: old)
        if let old {
            var index = top.loadAcquiring()
            while index != end {
                new.store(old.load(at: index), at: index)
                index &+= 1
            }
        }
        // Releasing: paired with the acquire in `steal`.
        ring.storeReleasing(new.address)
        return new
    }
}

/// A circle of slots for words.
private struct Ring {
    let address: UInt

    /// The capacity, and the address of the ring that was outgrown.
    private static let header = 2

    private var words: UnsafeMutablePointer<AtomicWord> { UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped }

    init?(address: UInt) {
        if address == 0 { return nil }
        self.address = address
    }

    init(capacity: Int, previous: Ring?) {
        let words = UnsafeMutablePointer<AtomicWord>.allocate(capacity: Ring.header + capacity)
        (words + 0).initialize(to: AtomicWord(UInt(bitPattern: capacity)))
        (words + 1).initialize(to: AtomicWord(previous?.address ?? 0))
        for index in 0..<capacity { (words + Ring.header + index).initialize(to: AtomicWord(0)) }
        address = UInt(bitPattern: words)
    }

    func deallocate() {
        words.deinitialize(count: Ring.header + capacity)
        words.deallocate()
    }

    var capacity: Int { Int(bitPattern: words[0].loadRelaxed()) }

    var previous: Ring? { Ring(address: words[1].loadRelaxed()) }

    private func slot(of index: UInt) -> Int {
        Ring.header &+ Int(bitPattern: index & (words[0].loadRelaxed() &- 1))
    }

    // Relaxed: a word is published by `bottom`, and taken by `top`.
    func load(at index: UInt) -> UInt { words[slot(of: index)].loadRelaxed() }

    func store(_ word: UInt, at index: UInt) { words[slot(of: index)].storeRelaxed(word) }
}
