// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Lends one connection buffers of the pool that all connections of its loop share, a limited number at a time.
///
/// The loop thread calls `take`; any thread may call `recycle`.
final class ReceiveWindow: BufferProvider, @unchecked Sendable {
    private let limit: UInt
    private let pool: ReceivePool
    /// The number of buffers lent.
    private let inUse = AtomicWord(0)

    init(limit: Int, pool: ReceivePool) {
        self.limit = UInt(limit)
        self.pool = pool
    }

    /// Counts one more buffer. Returns false if the limit is reached.
    func take() -> Bool {
        // Relaxed: only the loop thread counts up. A buffer that is coming back at this moment is missed.
        if inUse.loadRelaxed() >= limit { return false }
        _ = inUse.fetchAdd(1)
        return true
    }

    /// Counts one buffer less.
    func putBack() { _ = inUse.fetchAdd(0 &- 1) }

    /// The memory of a buffer that was counted.
    func storage(_ address: UnsafeMutableRawPointer) -> ByteStorage {
        ByteStorage(address, capacity: ReceivePool.size, of: self)
    }

    override func recycle(_ address: UnsafeMutableRawPointer) {
        pool.recycle(address)
        putBack()
    }
}
