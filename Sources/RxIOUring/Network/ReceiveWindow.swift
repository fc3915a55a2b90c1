import RxPrimitives

/// How many chunks of one connection may be in use at a time: its back-pressure. Memory is lent through it.
///
/// `take` and `cancelWait` on the loop, `recycle` on any thread.
final class ReceiveWindow: BufferProvider, @unchecked Sendable {
    private let limit: UInt
    private let pool: ReceivePool?

    /// How many chunks are in use, times two; and 1 while the connection waits for one to come back.
    private let state = AtomicWord(0)

    /// Who waits. Belongs to the loop while the bit is clear, and to whoever clears it.
    @exclusivity(unchecked) private var waiter: ConnectionCore?

    init(limit: Int, pool: ReceivePool?) {
        self.limit = UInt(limit)
        self.pool = pool
    }

    /// Counts a chunk more. False if there are as many as there may be: then `waiter` is resumed when one has come back.
    func take(for waiter: ConnectionCore) -> Bool {
        while true {
            let word = state.loadRelaxed()
            if word >> 1 < limit {
                if state.compareExchange(word, word + 2) { return true }
                continue
            }
            self.waiter = waiter
            // Releasing: paired with the compare-exchange in `putBack` that clears the bit.
            if state.compareExchange(word, word | 1) { return false }
            self.waiter = nil
        }
    }

    /// Nobody waits any more.
    func cancelWait() {
        let word = state.loadRelaxed()
        if word & 1 != 0, clearWait() { waiter = nil }
    }

    /// The memory of a chunk that was counted.
    func storage(_ address: UnsafeMutableRawPointer, capacity: Int) -> ByteStorage {
        ByteStorage(address, capacity: capacity, of: self)
    }

    override func recycle(_ address: UnsafeMutableRawPointer) {
        if let pool, pool.contains(address) { pool.recycle(address) } else { address.deallocate() }
        putBack()
    }

    /// A chunk less.
    func putBack() {
        let before = state.fetchAdd(0 &- 2)
        guard before & 1 != 0, clearWait() else { return }
        let waiter = waiter
        self.waiter = nil
        waiter?.roomCameBack()
    }

    /// Returns whether it was the caller who cleared the bit.
    private func clearWait() -> Bool {
        while true {
            let word = state.loadRelaxed()
            if word & 1 == 0 { return false }
            // Acquiring: paired with the compare-exchange in `take`.
            if state.compareExchange(word, word & ~1) { return true }
        }
    }
}
