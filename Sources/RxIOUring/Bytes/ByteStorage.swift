import Glibc
import RxPrimitives

/// Memory for bytes: of its own, or lent by a pool to which it goes back with the last reference, on any thread.
final class ByteStorage: @unchecked Sendable {
    /// Written by the kernel while a read is in flight; never again once a chunk of it was emitted.
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

/// What memory comes from, and goes back to.
class BufferProvider: @unchecked Sendable {
    /// On any thread.
    func recycle(_ address: UnsafeMutableRawPointer) {
        fatalError("swift-rx: a subclass has to implement this method")
    }
}

/// A bounded number of buffers of one size, which are used again and again: the memory of one stream, and so its back-pressure.
final class BytePool: BufferProvider, @unchecked Sendable {
    /// Bytes per buffer.
    let size: Int
    /// How many buffers there may be.
    let limit: Int

    private let lock = Mutex()
    /// Buffers out of use. Under the lock.
    @exclusivity(unchecked) private var spare: [UnsafeMutableRawPointer] = []
    /// How many there are. Under the lock.
    @exclusivity(unchecked) private var count = 0
    /// Called when a buffer comes back after `take` found none. Under the lock; released outside.
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
            // Page-aligned, which the kernel copies into fastest.
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
