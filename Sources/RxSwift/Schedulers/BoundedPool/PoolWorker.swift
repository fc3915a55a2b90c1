import RxPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What one thread of a pool works with. Except for its deques, only that thread touches it.
package final class PoolWorker {
    /// The pool, which holds this worker; its thread holds the pool.
    let pool: Unmanaged<WorkerPool>
    let number: Int

    /// The work that this worker's own jobs handed over, by level. Others steal from them.
    let deques: UnsafeMutablePointer<WorkStealingDeque>

    /// Whether this worker is among those that `PoolState.searching` counts. From the start: whoever starts or wakes it counts
    /// it.
    @exclusivity(unchecked) var isSearching = true

    /// How often it looked for work, and how often of these not by priority.
    @exclusivity(unchecked) var turn: UInt = 0
    @exclusivity(unchecked) var fairTurn: UInt = 0

    /// Whether it saw another one refill an injector when it last looked for work.
    @exclusivity(unchecked) var sawRefill = false

    /// Whether it left a single job to another worker when it last looked for work, the first such one, and that of the look
    /// before, which is not left again.
    @exclusivity(unchecked) var sawSingle = false
    @exclusivity(unchecked) var spared: (number: Int, level: Int, index: UInt) = (-1, 0, 0)
    @exclusivity(unchecked) var sparedBefore: (number: Int, level: Int, index: UInt) = (-1, 0, 0)

    /// Whether the pool was shut down when it last began to look everywhere.
    @exclusivity(unchecked) var sawShutdown = false

    /// The level of the job found last.
    @exclusivity(unchecked) var level = 0

    /// The job at work; counts no reference.
    @exclusivity(unchecked) var running: UnsafeRawPointer?

    init(pool: Unmanaged<WorkerPool>, number: Int) {
        self.pool = pool
        self.number = number
        deques = .allocate(capacity: PoolState.levelCount)
        for level in 0..<PoolState.levelCount { (deques + level).initialize(to: WorkStealingDeque()) }
    }

    deinit {
        deques.deinitialize(count: PoolState.levelCount)
        deques.deallocate()
    }

    /// The worker whose thread this is, without counting a reference.
    static var current: Unmanaged<PoolWorker>? {
        ThreadSlot.poolWorker.pointer.map { .fromOpaque($0) }
    }

    /// As deep as the main thread's usually is (law L8); the kernel provides memory as it is used.
    private static let stackSize = 8 << 20

    /// For so many nanoseconds after a start that failed none is tried, while other workers are alive.
    static let startInterval: UInt64 = 10_000_000
    /// How often the only worker of a pool that was shut down is started, and how many microseconds later each time.
    static let lastStarts = 100
    static let lastStartPause: UInt32 = 1_000

    /// For tests: so many starts of threads fail from now on.
    package static let failuresToSimulate = AtomicWord(0)

    /// Starts the thread, which keeps the pool alive. Returns 0 or an errno.
    func start(name: String) -> CInt {
        if PoolWorker.failuresToSimulate.loadRelaxed() != 0 {
            _ = PoolWorker.failuresToSimulate.fetchAdd(.max)
            return EAGAIN
        }
        let context = Unmanaged.passRetained(StartContext(pool: pool.takeUnretainedValue(), worker: self, name: name))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, PoolWorker.stackSize)
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let status = pthread_create(&thread, &attributes, PoolWorker.main, context.toOpaque())
        pthread_attr_destroy(&attributes)
        if status != 0 { context.release() }
        return status
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
        let context = Unmanaged<StartContext>.fromOpaque(argument.unsafelyUnwrapped).takeRetainedValue()
        nameThread(context.name)
        ThreadSlot.poolWorker.set(Unmanaged.passUnretained(context.worker).toOpaque())
        // All that a worker runs is a callback.
        DrainSession.current.beginCallbacks()
        context.pool.work(as: context.worker)
        ThreadSlot.poolWorker.set(nil)
        return nil
    }

    /// Names the calling thread, as far as the system lets it. (`pthread_setname_np` is not to be had in Swift.)
    private static func nameThread(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        if file < 0 { return }
        // The kernel takes 15 bytes.
        let bytes = Array(name.utf8.prefix(15))
        _ = write(file, bytes, bytes.count)
        close(file)
    }

    /// What a new thread is handed.
    private final class StartContext {
        let pool: WorkerPool
        let worker: PoolWorker
        let name: String

        init(pool: WorkerPool, worker: PoolWorker, name: String) {
            self.pool = pool
            self.worker = worker
            self.name = name
        }
    }
}
