import RxPrimitives

/// The limit on the chunks of one connection in use at a time: its back-pressure. Memory is lent through it.
///
/// The loop thread calls `take` and `cancelWait`; any thread may call `recycle`.
final class ReceiveWindow: BufferProvider, @unchecked Sendable {
    private let limit: UInt
    private let pool: ReceivePool?

    /// Twice the number of chunks in use, plus 1 while the connection waits for a chunk to come back.
    private let state = AtomicWord(0)

    /// The connection that waits for room. Owned by the loop while the bit is clear, and by the thread that clears it.
    @exclusivity(unchecked) private var waiter: ConnectionCore?

    init(limit: Int, pool: ReceivePool?) {
        self.limit = UInt(limit)
        self.pool = pool
    }

    /// Counts one more chunk. Returns false if the limit is reached: then `waiter` is resumed when a chunk has come back.
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

    /// Ends the wait of the connection, if there is one.
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

    /// Counts one chunk less, and resumes the connection that waits.
    func putBack() {
        let before = state.fetchAdd(0 &- 2)
        guard before & 1 != 0, clearWait() else { return }
        let waiter = waiter
        self.waiter = nil
        waiter?.roomCameBack()
    }

    /// Returns true if it was the caller that cleared the bit.
    private func clearWait() -> Bool {
        while true {
            let word = state.loadRelaxed()
            if word & 1 == 0 { return false }
            // Acquiring: paired with the compare-exchange in `take`.
            if state.compareExchange(word, word & ~1) { return true }
        }
    }
}
