// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives

/// Memory for bytes: its own, or lent by a pool, which gets it back with the last reference, on any thread.
final class ByteStorage: @unchecked Sendable {
    /// The memory. The kernel writes to it while a read is in flight, and never again once a chunk of it was emitted.
    let address: UnsafeMutableRawPointer
    let capacity: Int
    /// Held, where there is one.
    private let provider: Unmanaged<BufferProvider>?

    /// The most bytes that the system reads at once.
    static let mostBytes = 0x7fff_f000

    init(capacity: Int) {
        self.capacity = capacity
        address = .allocate(byteCount: max(capacity, 1), alignment: 16)
        provider = nil
    }

    /// Memory that `provider` has lent.
    init(_ address: UnsafeMutableRawPointer, capacity: Int, of provider: BufferProvider) {
        self.address = address
        self.capacity = capacity
        self.provider = .passRetained(provider)
    }

    deinit {
        guard let provider else { return address.deallocate() }
        provider._withUnsafeGuaranteedRef { $0.recycle(address) }
        provider.release()
    }
}

/// A source of memory, to which the memory returns.
class BufferProvider: @unchecked Sendable {
    /// Takes memory back; called on any thread.
    func recycle(_ address: UnsafeMutableRawPointer) {
        fatalError("swift-rx: a subclass has to implement this method")
    }
}

/// Buffers of one size for the chunks of one stream, used again and again.
///
/// There are as many buffers as chunks are in use: an observer that keeps chunks needs memory, and never stops the stream.
final class BytePool: BufferProvider, @unchecked Sendable {
    /// The number of bytes per buffer.
    let size: Int
    /// The number of chunks in use up to which chunks of few bytes have a whole buffer.
    private let window: Int

    private let lock = Mutex()
    /// Buffers that are out of use, protected by the lock.
    @exclusivity(unchecked) private var free: [UnsafeMutableRawPointer] = []
    /// The number of buffers in use, protected by the lock.
    @exclusivity(unchecked) private var inUse = 0

    /// The bytes that the pool keeps for reuse if `window` buffers are fewer: as many as a hop lets wait.
    private static let freeBytes = 1 << 20

    /// - Parameters:
    ///   - window: the number of buffers that the pool keeps for reuse at least. It keeps up to a megabyte, but no more.
    ///   - size: at most `mostBytes`; a greater size means that one.
    init(size: Int, window: Int) {
        self.size = min(size, ByteStorage.mostBytes)
        self.window = window
    }

    deinit {
        for address in free { address.deallocate() }
    }

    /// Takes a buffer, and makes one if none is free.
    func take() -> ByteStorage {
        lock.lock()
        inUse += 1
        let address = free.popLast()
        lock.unlock()
        // Page-aligned: the kernel copies into such memory fastest.
        return ByteStorage(address ?? .allocate(byteCount: size, alignment: 4096), capacity: size, of: self)
    }

    /// Makes a chunk of the first bytes of a buffer. If it has few bytes and many chunks are in use, the chunk gets memory of its size.
    func chunk(_ storage: ByteStorage, count: Int) -> ByteChunk {
        let chunk = ByteChunk(storage, count: count)
        if count > size / 4 || lock.withLock({ inUse <= window }) { return chunk }
        return chunk.withUnsafeBytes { ByteChunk(copying: $0) }
    }

    override func recycle(_ address: UnsafeMutableRawPointer) {
        let isKept = lock.withLock {
            inUse -= 1
            if free.count >= window, (free.count + 1) * max(size, 4096) > BytePool.freeBytes { return false }
            free.append(address)
            return true
        }
        if !isKept { address.deallocate() }
    }
}
