// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine for a seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The number of live `Tracked` objects, for any thread.
final class LiveCounter: @unchecked Sendable {
    private let word = AtomicWord(0)

    var live: Int { Int(bitPattern: word.loadAcquiring()) }

    func add(_ change: Int) { _ = word.fetchAdd(UInt(bitPattern: change)) }
}

/// An object that is counted while it lives.
final class Tracked {
    private let counter: LiveCounter

    init(_ counter: LiveCounter) {
        self.counter = counter
        counter.add(1)
    }

    deinit { counter.add(-1) }
}

private final class ThreadStart: @unchecked Sendable {
    let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }
}

private final class SpinBarrier: @unchecked Sendable {
    private let missing: AtomicWord

    init(_ parties: UInt) { missing = AtomicWord(parties) }

    func wait() {
        _ = missing.fetchAdd(UInt.max)
        while missing.loadAcquiring() != 0 { sched_yield() }
    }
}

/// Runs both bodies on threads of their own, which start together: a thread merely spawned is too late to overlap.
func onTwoThreads(_ first: @escaping () -> Void, _ second: @escaping () -> Void) {
    onThreads([first, second])
}

/// Runs each body on a thread of its own, which start together.
func onThreads(_ bodies: [() -> Void]) {
    let barrier = SpinBarrier(UInt(bodies.count))
    let threads = bodies.map { body in
        startThread {
            barrier.wait()
            body()
        }
    }
    for thread in threads { pthread_join(thread, nil) }
}

/// Runs `body` on a new thread, to be joined.
func startThread(_ body: @escaping () -> Void) -> pthread_t {
    var thread = pthread_t()
    let error = pthread_create(
        &thread, nil,
        { argument in
            Unmanaged<ThreadStart>.fromOpaque(argument!).takeRetainedValue().body()
            return nil
        }, Unmanaged.passRetained(ThreadStart(body)).toOpaque())
    precondition(error == 0, "pthread_create failed with error \(error)")
    return thread
}

/// A semaphore of the C library: waiting and signalling take no lock of ours.
final class Semaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() { sem_post(semaphore) }

    func wait() { while sem_wait(semaphore) != 0 {} }
}

/// Pins the calling thread to the first processor that it may run on. Returns false if the system refuses.
func pinToFirstProcessor() -> Bool {
    // Swift hides the functions that glibc declares only for programs with GNU extensions.
    typealias Affinity = @convention(c) (pid_t, Int, UnsafeMutablePointer<cpu_set_t>) -> Int32
    let getAffinity = unsafeBitCast(dlsym(nil, "sched_getaffinity")!, to: Affinity.self)
    let setAffinity = unsafeBitCast(dlsym(nil, "sched_setaffinity")!, to: Affinity.self)
    var allowed = cpu_set_t()
    guard getAffinity(0, MemoryLayout<cpu_set_t>.size, &allowed) == 0 else { return false }
    withUnsafeMutableBytes(of: &allowed) { bytes in
        let first = bytes.firstIndex { $0 != 0 } ?? 0
        let bit = bytes[first] & (0 &- bytes[first])
        for index in bytes.indices { bytes[index] = index == first ? bit : 0 }
    }
    return setAffinity(0, MemoryLayout<cpu_set_t>.size, &allowed) == 0
}

/// Makes the calling thread run before all normal ones and those of lower priority. Returns false if the system refuses.
func runInRealTime(priority: Int32) -> Bool {
    var parameters = sched_param(sched_priority: priority)
    return sched_setscheduler(0, SCHED_FIFO, &parameters) == 0
}

/// Returns the processor time of the calling thread in nanoseconds.
func threadCPUTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Calls `fork`, which Swift hides.
func forkProcess() -> pid_t {
    let address = dlsym(nil, "fork")!
    return unsafeBitCast(address, to: (@convention(c) () -> pid_t).self)()
}

/// Returns the exit status of a child, the negated number of a signal, or nil if the child ran longer than the given seconds
/// and was killed.
func exitStatus(of child: pid_t, within seconds: Int) -> Int32? {
    var status: Int32 = 0
    for _ in 0..<seconds * 100 {
        if waitpid(child, &status, WNOHANG) == child {
            let signal = status & 0x7F
            return signal == 0 ? status >> 8 & 0xFF : -signal
        }
        usleep(10_000)
    }
    kill(child, SIGKILL)
    waitpid(child, &status, 0)
    return nil
}
