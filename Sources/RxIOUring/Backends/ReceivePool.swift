// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives

/// Buffers of one size, into which the sockets of one loop receive.
///
/// The kernel (or the backend) takes a buffer when input has arrived, so that a connection without input holds no memory. The
/// pool outlives the loop as long as a chunk of it is held.
final class ReceivePool: @unchecked Sendable {
    enum Kind {
        /// Many buffers of 16 KiB.
        case usual
        /// A few of 256 KiB, for a connection whose last receive has filled its buffer.
        case bulk

        /// The number of bytes per buffer.
        var size: Int { self == .usual ? 16 << 10 : 256 << 10 }
        /// The number of buffers: a power of two.
        var count: Int { self == .usual ? 512 : 32 }
    }

    /// A buffer that was taken. The backend holds the pool.
    struct Buffer {
        fileprivate let pool: Unmanaged<ReceivePool>
        let number: Int

        init(pool: Unmanaged<ReceivePool>, number: Int) {
            self.pool = pool
            self.number = number
        }

        var address: UnsafeMutableRawPointer { pool._withUnsafeGuaranteedRef { $0.address(number) } }

        /// Gives back a buffer into which nothing was received.
        func putBack() { pool._withUnsafeGuaranteedRef { $0.free.append(number) } }
    }

    let kind: Kind
    let memory: UnsafeMutableRawPointer
    private let backend: Unmanaged<Backend>

    /// The loop thread; 0 from the end of the loop on.
    private let owner = AtomicWord(UInt(pthread_self()))

    private let lock = Mutex()
    /// The free buffers, where not the kernel has them. Used on the loop thread.
    @exclusivity(unchecked) var free: [Int] = []

    /// Buffers that came back on other threads, protected by the lock.
    @exclusivity(unchecked) private var returned: [Int] = []
    /// 1 if buffers may have come back on other threads.
    private let hasReturned = AtomicWord(0)

    /// Maps the memory; called on the loop thread. Returns nil if there is none.
    init?(_ kind: Kind, backend: Backend) {
        self.kind = kind
        self.backend = .passUnretained(backend)
        // Pages that were never received into take no memory.
        let mapped = mmap(nil, kind.size * kind.count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else { return nil }
        memory = mapped
    }

    deinit { munmap(memory, kind.size * kind.count) }

    func address(_ number: Int) -> UnsafeMutableRawPointer { memory + number * kind.size }

    /// Tells whether the memory belongs to this pool.
    func contains(_ address: UnsafeMutableRawPointer) -> Bool {
        address >= memory && address < memory + kind.size * kind.count
    }

    /// Takes a buffer back that is not used any more; called on any thread.
    func recycle(_ address: UnsafeMutableRawPointer) {
        let number = (address - memory) / kind.size
        let owner = owner.loadRelaxed()
        if owner == UInt(pthread_self()) { return returnToBackend(number) }
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
        for number in numbers { returnToBackend(number) }
    }

    private func returnToBackend(_ number: Int) {
        backend._withUnsafeGuaranteedRef { $0.returnBuffer(number, to: self) }
    }

    /// Takes a free buffer, where not the kernel has them. Called on the loop thread.
    func take() -> Int? {
        if free.isEmpty { takeReturned() }
        return free.popLast()
    }

    /// Stops returning buffers to the backend. Called on the loop thread.
    func close() { owner.storeReleasing(0) }
}
