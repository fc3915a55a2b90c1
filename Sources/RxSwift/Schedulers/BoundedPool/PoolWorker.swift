// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The data of one thread of a pool. Except for its deques, only that thread touches it.
package final class PoolWorker {
    /// The pool, which holds this worker; its thread holds the pool.
    let pool: Unmanaged<WorkerPool>
    let number: Int

    /// The work that this worker's own jobs submitted, by level. Other workers steal from these deques.
    let deques: UnsafeMutablePointer<WorkStealingDeque>

    /// True if this worker is among those that `PoolState.searching` counts. It is from the start: the thread that starts or wakes a
    /// worker counts it.
    @exclusivity(unchecked) var isSearching = true

    /// The number of times that it looked for work, and the number of these that were not by priority.
    @exclusivity(unchecked) var turn: UInt = 0
    @exclusivity(unchecked) var injectorInterval: UInt = 0

    /// True if it saw another worker refill an injector when it last looked for work.
    @exclusivity(unchecked) var sawRefill = false

    /// True if it left a single job to another worker when it last looked for work; the first such job; and that of the look before,
    /// which is not left again.
    @exclusivity(unchecked) var sawSingle = false
    @exclusivity(unchecked) var skipped: (number: Int, level: Int, index: UInt) = (-1, 0, 0)
    @exclusivity(unchecked) var skippedBefore: (number: Int, level: Int, index: UInt) = (-1, 0, 0)

    /// True if the pool was shut down when it last began to look everywhere.
    @exclusivity(unchecked) var sawShutdown = false

    /// The level of the job found last.
    @exclusivity(unchecked) var level = 0

    /// True if the job that ran last has more to do, and so lets other work go first.
    @exclusivity(unchecked) var hasYielded = false

    /// The job that is running; counts no reference.
    @exclusivity(unchecked) var running: UnsafeRawPointer?

    // The steps of a batch follow the time that the last one took: the steps of one job are as slow as before, mostly.
    @exclusivity(unchecked) private var batchSteps = PoolWorker.firstBatchSteps
    /// True if the last batch was used up, so that the next one is measured. Actions, which are of one step, need no clock.
    @exclusivity(unchecked) private var measuresBatch = false
    private static let firstBatchSteps = 16
    private static let fewestBatchSteps = 3
    private static let mostBatchSteps = 512
    /// The time of a batch, after which other work has its turn, in ticks of `ProcessorCounter`.
    private static let batchTicks = ProcessorCounter.ticks(nanoseconds: 200_000)

    /// Returns the number of steps of the next batch, and its start in ticks, or 0.
    @inline(__always)
    func beginBatch() -> (steps: Int, start: UInt64) { (batchSteps, measuresBatch ? ProcessorCounter.now() : 0) }

    @inline(__always)
    func endBatch(of steps: Int, isUsedUp: Bool, since start: UInt64) {
        if isUsedUp || measuresBatch { adapt(steps, isUsedUp, start) }
    }

    @inline(never)
    private func adapt(_ steps: Int, _ isUsedUp: Bool, _ start: UInt64) {
        measuresBatch = isUsedUp
        if !isUsedUp || start == 0 { return }
        let elapsed = ProcessorCounter.now() &- start
        if elapsed <= PoolWorker.batchTicks {
            batchSteps = min(2 * steps, PoolWorker.mostBatchSteps)
        } else if elapsed > 2 * PoolWorker.batchTicks {
            batchSteps = max(Int(UInt64(steps) * PoolWorker.batchTicks / elapsed), PoolWorker.fewestBatchSteps)
        }
    }

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

    /// The size of a stack, as large as the main thread's usually is (law L8); the kernel provides memory as it is used.
    private static let stackSize = 8 << 20

    /// The number of nanoseconds after a failed start during which no other is tried, while other workers are alive.
    static let startInterval: UInt64 = 10_000_000
    /// The number of attempts to start the only worker of a pool that was shut down, and the microseconds between two of them.
    static let lastStarts = 100
    static let lastStartPause: UInt32 = 1_000

    /// The number of thread starts that fail from now on, for tests.
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
        // All code that a worker runs is a callback.
        DrainSession.current.beginCallbacks()
        context.pool.work(as: context.worker)
        ThreadSlot.poolWorker.set(nil)
        return nil
    }

    /// Names the calling thread, as far as the system lets it. (`pthread_setname_np` is not to be had in Swift.)
    private static func nameThread(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        if file < 0 { return }
        // The kernel takes 15 bytes of a name.
        let bytes = Array(name.utf8.prefix(15))
        _ = write(file, bytes, bytes.count)
        close(file)
    }

    /// The context that a new thread receives.
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
