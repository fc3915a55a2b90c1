import Glibc
import RxPrimitives

/// The buffers of one loop for what its sockets receive: taken by the kernel (or the backend) when something has come, so
/// that a connection on which nothing comes holds no memory.
///
/// Outlives the loop as long as somebody holds a chunk.
final class ReceivePool: @unchecked Sendable {
    /// Bytes per buffer.
    static let size = 16 * 1024
    /// How many buffers: a power of two.
    static let count = 512

    let memory: UnsafeMutableRawPointer
    private unowned(unsafe) let backend: Backend

    /// The loop's thread; 0 from the end of the loop on.
    private let owner = AtomicWord(UInt(pthread_self()))

    private let lock = Mutex()
    /// Buffers that came back on other threads. Under the lock.
    @exclusivity(unchecked) private var returned: [Int] = []
    /// Whether there are such.
    private let hasReturned = AtomicWord(0)

    /// On the loop's thread.
    init(backend: Backend) {
        self.backend = backend
        // Pages that were never received into are not there.
        let bytes = ReceivePool.size * ReceivePool.count
        let mapped = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else {
            fatalError("swift-rx: no memory for receive buffers (mmap: errno \(errno))")
        }
        memory = mapped
    }

    deinit { munmap(memory, ReceivePool.size * ReceivePool.count) }

    func address(_ number: Int) -> UnsafeMutableRawPointer { memory + number * ReceivePool.size }

    /// Whether the memory is this pool's.
    func contains(_ address: UnsafeMutableRawPointer) -> Bool {
        address >= memory && address < memory + ReceivePool.size * ReceivePool.count
    }

    /// A buffer is not used any more. On any thread.
    func recycle(_ address: UnsafeMutableRawPointer) {
        let number = (address - memory) / ReceivePool.size
        let owner = owner.loadRelaxed()
        if owner == UInt(pthread_self()) { return backend.returnBuffer(number) }
        if owner == 0 { return }
        lock.withLock { returned.append(number) }
        hasReturned.storeReleasing(1)
    }

    /// Takes up what came back on other threads. On the loop.
    func takeReturned() {
        // Relaxed: what is missed now is taken up the next time.
        if hasReturned.loadRelaxed() == 0 { return }
        hasReturned.storeRelaxed(0)
        let numbers = lock.withLock {
            let taken = returned
            returned = []
            return taken
        }
        for number in numbers { backend.returnBuffer(number) }
    }

    /// The backend takes no buffer back any more. On the loop.
    func close() { owner.storeReleasing(0) }
}
