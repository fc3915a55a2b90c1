import Glibc
import RxPrimitives

/// Memory for bytes: its own, or lent by a pool, which gets it back with the last reference, on any thread.
final class ByteStorage: @unchecked Sendable {
    /// The memory. The kernel writes to it while a read is in flight, and never again once a chunk of it was emitted.
    let address: UnsafeMutableRawPointer
    let capacity: Int
    private let provider: BufferProvider?

    init(capacity: Int) {
        self.capacity = capacity
        address = .allocate(byteCount: max(capacity, 1), alignment: 16)
        provider = nil
    }

    /// Memory that `provider` has lent.
    init(_ address: UnsafeMutableRawPointer, capacity: Int, of provider: BufferProvider) {
        self.address = address
        self.capacity = capacity
        self.provider = provider
    }

    deinit {
        if let provider { provider.recycle(address) } else { address.deallocate() }
    }
}

/// A source of memory, to which the memory returns.
class BufferProvider: @unchecked Sendable {
    /// Takes memory back; called on any thread.
    func recycle(_ address: UnsafeMutableRawPointer) {
        fatalError("swift-rx: a subclass has to implement this method")
    }
}

/// A bounded number of buffers of one size, used again and again: the memory of one stream, and so its back-pressure.
final class BytePool: BufferProvider, @unchecked Sendable {
    /// The number of bytes per buffer.
    let size: Int
    /// The number of buffers that there may be.
    let limit: Int

    private let lock = Mutex()
    /// Buffers that are out of use, protected by the lock.
    @exclusivity(unchecked) private var spare: [UnsafeMutableRawPointer] = []
    /// The number of buffers that exist, protected by the lock.
    @exclusivity(unchecked) private var count = 0
    /// The closure to call when a buffer comes back after `take` found none. Protected by the lock; released outside.
    @exclusivity(unchecked) private var onReturn: (() -> Void)?

    init(size: Int, limit: Int) {
        self.size = size
        self.limit = limit
    }

    deinit {
        for address in spare { address.deallocate() }
    }

    /// A buffer, or nil if all are in use: then `onReturn` is called once, on any thread, as soon as one has come back.
    func take(onReturn: @escaping () -> Void) -> ByteStorage? {
        lock.lock()
        if let address = spare.popLast() {
            lock.unlock()
            return ByteStorage(address, capacity: size, of: self)
        }
        if count < limit {
            count += 1
            lock.unlock()
            // Page-aligned: the kernel copies into such memory fastest.
            return ByteStorage(.allocate(byteCount: size, alignment: 4096), capacity: size, of: self)
        }
        self.onReturn = onReturn
        lock.unlock()
        return nil
    }

    override func recycle(_ address: UnsafeMutableRawPointer) {
        lock.lock()
        spare.append(address)
        let wake = onReturn
        onReturn = nil
        lock.unlock()
        wake?()
    }
}
