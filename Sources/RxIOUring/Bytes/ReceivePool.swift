// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives

/// The buffers into which the sockets of one loop receive.
///
/// The kernel (or the backend) takes a buffer when input has arrived, so that a connection without input holds no memory. The
/// pool outlives the loop as long as a chunk of it is held.
final class ReceivePool: @unchecked Sendable {
    /// The number of bytes per buffer.
    static let size = 16 * 1024
    /// The number of buffers: a power of two.
    static let count = 512

    let memory: UnsafeMutableRawPointer
    private unowned(unsafe) let backend: Backend

    /// The loop thread; 0 from the end of the loop on.
    private let owner = AtomicWord(UInt(pthread_self()))

    private let lock = Mutex()
    /// Buffers that came back on other threads, protected by the lock.
    @exclusivity(unchecked) private var returned: [Int] = []
    /// 1 if buffers may have come back on other threads.
    private let hasReturned = AtomicWord(0)

    /// Maps the memory; called on the loop thread. Returns nil if there is none.
    init?(backend: Backend) {
        self.backend = backend
        // Pages that were never received into take no memory.
        let bytes = ReceivePool.size * ReceivePool.count
        let mapped = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else { return nil }
        memory = mapped
    }

    deinit { munmap(memory, ReceivePool.size * ReceivePool.count) }

    func address(_ number: Int) -> UnsafeMutableRawPointer { memory + number * ReceivePool.size }

    /// Tells whether the memory belongs to this pool.
    func contains(_ address: UnsafeMutableRawPointer) -> Bool {
        address >= memory && address < memory + ReceivePool.size * ReceivePool.count
    }

    /// Takes a buffer back that is not used any more; called on any thread.
    func recycle(_ address: UnsafeMutableRawPointer) {
        let number = (address - memory) / ReceivePool.size
        let owner = owner.loadRelaxed()
        if owner == UInt(pthread_self()) { return backend.returnBuffer(number) }
        if owner == 0 { return }
        lock.withLock { returned.append(number) }
        hasReturned.storeReleasing(1)
    }

    /// Returns to the backend the buffers that came back on other threads. Called on the loop thread.
    func takeReturned() {
        // Relaxed: buffers missed now are returned the next time.
        if hasReturned.loadRelaxed() == 0 { return }
        hasReturned.storeRelaxed(0)
        let numbers = lock.withLock {
            let taken = returned
            returned = []
            return taken
        }
        for number in numbers { backend.returnBuffer(number) }
    }

    /// Stops returning buffers to the backend. Called on the loop thread.
    func close() { owner.storeReleasing(0) }
}
