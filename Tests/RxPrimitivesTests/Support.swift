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

/// How many `Tracked` are alive, from any thread.
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
        var thread = pthread_t()
        let start = Unmanaged.passRetained(
            ThreadStart {
                barrier.wait()
                body()
            })
        let error = pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<ThreadStart>.fromOpaque(argument!).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        precondition(error == 0, "pthread_create failed with error \(error)")
        return thread
    }
    for thread in threads { pthread_join(thread, nil) }
}
