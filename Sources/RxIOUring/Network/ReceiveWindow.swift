import RxPrimitives

/// The limit on the chunks of one connection in use at a time: its back-pressure. Memory is lent through it.
///
/// The loop thread calls `take` and `cancelWait`; any thread may call `recycle`.
final class ReceiveWindow: BufferProvider, @unchecked Sendable {
    private let limit: UInt
    private let pool: ReceivePool?

    /// A `WindowState`.
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
            let before = WindowState(word: state.loadRelaxed())
            if before.inUse < limit {
                if state.compareExchange(before.word, before.word + WindowState.oneChunk) { return true }
                continue
            }
            self.waiter = waiter
            // Releasing: paired with the compare-exchange in `clearWait`.
            if state.compareExchange(before.word, before.waiting.word) { return false }
            self.waiter = nil
        }
    }

    /// Ends the wait of the connection, if there is one.
    func cancelWait() {
        if WindowState(word: state.loadRelaxed()).isWaiting, clearWait() { waiter = nil }
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
        let before = WindowState(word: state.fetchAdd(0 &- WindowState.oneChunk))
        guard before.isWaiting, clearWait() else { return }
        let waiter = waiter
        self.waiter = nil
        waiter?.roomCameBack()
    }

    /// Returns true if it was the caller that cleared the bit.
    private func clearWait() -> Bool {
        while true {
            let before = WindowState(word: state.loadRelaxed())
            if !before.isWaiting { return false }
            // Acquiring: paired with the compare-exchange in `take`.
            if state.compareExchange(before.word, before.notWaiting.word) { return true }
        }
    }
}

/// The word of a receive window: the number of chunks in use, and whether the connection waits for a chunk to come back.
private struct WindowState {
    let word: UInt

    init(word: UInt) { self.word = word }

    private static let waitingBit: UInt = 1
    /// One chunk in use.
    static let oneChunk: UInt = 2

    var inUse: UInt { word / WindowState.oneChunk }
    var isWaiting: Bool { word & WindowState.waitingBit != 0 }

    var waiting: WindowState { WindowState(word: word | WindowState.waitingBit) }
    var notWaiting: WindowState { WindowState(word: word & ~WindowState.waitingBit) }
}
