// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Lends one connection buffers of the pools that all connections of its loop share, a limited number at a time.
///
/// The loop thread calls `take`; any thread may call `recycle`.
final class ReceiveWindow: BufferProvider, @unchecked Sendable {
    private let limit: UInt
    private let usual: ReceivePool
    /// Set by the loop thread before the first of its buffers is lent.
    @exclusivity(unchecked) private(set) var bulk: ReceivePool?
    /// The number of buffers lent.
    private let inUse = AtomicWord(0)

    init(limit: Int, usual: ReceivePool) {
        self.limit = UInt(limit)
        self.usual = usual
    }

    /// Lends buffers of this pool, too.
    func add(bulk: ReceivePool?) { self.bulk = bulk }

    /// Counts one more buffer. Returns false if the limit is reached.
    func take() -> Bool {
        // Relaxed: only the loop thread counts up. A buffer that is coming back at this moment is missed.
        if inUse.loadRelaxed() >= limit { return false }
        _ = inUse.fetchAdd(1)
        return true
    }

    /// Counts one buffer less.
    func putBack() { _ = inUse.fetchAdd(0 &- 1) }

    func pool(_ kind: ReceivePool.Kind) -> ReceivePool { kind == .usual ? usual : bulk! }

    /// The memory of a buffer that was counted.
    func storage(_ number: Int, of kind: ReceivePool.Kind) -> ByteStorage {
        let address = kind == .usual ? usual.address(number) : bulk!.address(number)
        return ByteStorage(address, capacity: kind.size, of: self)
    }

    override func recycle(_ address: UnsafeMutableRawPointer) {
        if usual.contains(address) { usual.recycle(address) } else { bulk!.recycle(address) }
        putBack()
    }
}
