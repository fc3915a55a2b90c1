// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a deputy does.
package protocol DeputyWork: AnyObject {
    /// Does the work, on a deputy's thread. The target of a serializer calls its `drainAsDeputy`.
    func drainAsDeputy()
}

/// Threads that drain vacant serializers which no producer comes to (law L12), and tell subscribers that a scheduler has ended.
///
/// One deputy at a time drains. After a millisecond it moves to the next serializer if one waits, and lets producers in that are faster than it is. If it
/// has been inside one callback for 10 ms while a serializer waits, another deputy takes the waiting one. An idle deputy ends after ten seconds.
final class DeputyPool: @unchecked Sendable {
    #if RX_MODEL_CHECK
        /// Each execution of a scenario about deputies has its own.
        nonisolated(unsafe) static var model: Unmanaged<DeputyPool>?
        static var shared: DeputyPool { model.unsafelyUnwrapped.takeUnretainedValue() }
    #else
        nonisolated(unsafe) private static var current = DeputyPool()

        /// A forked process gets a new pool, because the threads are the parent's. The parent's one is not released: its serializers are the user's, and
        /// another thread may have been in the midst of a change.
        private static let watchesForks: Void = {
            // Initialized before the handler uses it. Fails only without memory.
            _ = current
            _ = pthread_atfork(nil, nil) {
                _ = Unmanaged.passRetained(current)
                current = DeputyPool()
            }
        }()

        /// The process's pool.
        static var shared: DeputyPool {
            watchesForks
            return current
        }
    #endif

    private let lock = Mutex()

    // The lock protects the following fields.
    private var waiting = WaitingTargets()
    private var idle: [Deputy] = []
    private var running: [Deputy] = []
    /// True while a deputy watches the running ones, because a serializer waits.
    private var isWatched = false

    private static let idleTimeout: UInt64 = 10_000_000_000
    /// The nanoseconds without a new piece of work after which a deputy counts as stuck in a callback.
    private static let stuckTime: UInt64 = 10_000_000

    /// Submits a target whose serializer is vacant, or other work: a deputy does it soon.
    ///
    /// - Returns: false, having done nothing, if there is no deputy and none can be started.
    func submit(_ target: any DeputyWork) -> Bool {
        lock.lock()
        waiting.append(target)
        if !running.isEmpty, isWatched {
            lock.unlock()
            return true
        }
        let woken = idle.popLast()
        lock.unlock()
        if let woken {
            woken.parker.unpark()
            return true
        }
        if start() { return true }
        lock.lock()
        let isWaiting = waiting.remove(target)
        lock.unlock()
        // If it is not waiting, a deputy has taken it meanwhile.
        return !isWaiting
    }

    /// Waits until no serializer is left to a deputy, at most some seconds. For tests whose producers have returned.
    static func waitUntilIdle() {
        for _ in 0..<50_000 {
            let pool = shared
            if pool.lock.withLock({ pool.waiting.isEmpty && pool.running.isEmpty }) { return }
            usleep(100)
        }
    }

    /// True if a serializer waits for a deputy.
    fileprivate var isAwaited: Bool { lock.withLock { !waiting.isEmpty } }

    /// Starts a deputy, and returns whether the system allowed it.
    private func start() -> Bool {
        let deputy = Deputy(pool: self)
        let argument = Unmanaged.passRetained(deputy)
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // As much as the main thread has, because a deputy may run long chains.
        pthread_attr_setstacksize(&attributes, 8 << 20)
        let status = pthread_create(&thread, &attributes, Deputy.main, argument.toOpaque())
        pthread_attr_destroy(&attributes)
        if status != 0 { argument.release() }
        return status == 0
    }

    /// Runs a deputy until it ends.
    fileprivate func work(_ deputy: Deputy) {
        lock.lock()
        while true {
            if waiting.isEmpty {
                idle.append(deputy)
                lock.unlock()
                deputy.parker.park(until: MonotonicClock.now() + DeputyPool.idleTimeout)
                lock.lock()
                if let index = idle.firstIndex(where: { $0 === deputy }) {
                    // Nothing came in that time, or the watching deputy takes care of it.
                    idle.remove(at: index)
                    return lock.unlock()
                }
            } else if running.allSatisfy(\.isStuck) {
                take(deputy)
            } else if isWatched {
                // One watches already: this one is not needed.
                return lock.unlock()
            } else {
                watch(deputy)
            }
        }
    }

    /// Drains the serializer that has waited longest. Called and returns with the lock held.
    private func take(_ deputy: Deputy) {
        var target = waiting.popFirst()
        running.append(deputy)
        deputy.begin()
        let needsWatcher = !waiting.isEmpty && !isWatched
        let woken = needsWatcher ? idle.popLast() : nil
        lock.unlock()
        if let woken { woken.parker.unpark() } else if needsWatcher { _ = start() }
        target?.drainAsDeputy()
        // Before the lock: this may be the last reference, and a user's deinit runs then (law L7).
        target = nil
        lock.lock()
        running.removeAll { $0 === deputy }
    }

    /// Waits, and notes which of the running deputies have begun no piece of work meanwhile. Called and returns with the lock held.
    private func watch(_ deputy: Deputy) {
        isWatched = true
        for other in running { other.notePieces() }
        lock.unlock()
        deputy.parker.park(until: MonotonicClock.now() + DeputyPool.stuckTime)
        lock.lock()
        isWatched = false
        for other in running { other.judge() }
    }
}

/// First in, first out, in amortized constant time.
private struct WaitingTargets {
    private var targets: [(any DeputyWork)?] = []
    private var first = 0

    var isEmpty: Bool { first == targets.count }

    mutating func append(_ target: any DeputyWork) { targets.append(target) }

    mutating func popFirst() -> (any DeputyWork)? {
        if isEmpty { return nil }
        let target = targets[first].take()
        first += 1
        if first == targets.count || first >= 64 && first * 2 >= targets.count {
            targets.removeFirst(first)
            first = 0
        }
        return target
    }

    /// Removes the entry of a target that was appended last. Returns whether there was one. O(n).
    mutating func remove(_ target: any DeputyWork) -> Bool {
        guard let index = targets[first...].lastIndex(where: { $0 === target }) else { return false }
        targets.remove(at: index)
        return true
    }
}

/// One thread of the pool.
final class Deputy: @unchecked Sendable {
    private let pool: DeputyPool
    fileprivate let parker = Parker()

    /// The number of pieces of work it has begun. Its own thread writes this, the watching deputy reads it.
    private let pieces = AtomicWord(0)

    /// The time from which its serializer may have to wait for another one; used only by the deputy's thread.
    private var sliceEnd: UInt64 = 0
    private static let slice: UInt64 = 1_000_000

    // The pool's lock protects the following fields.
    private var notedPieces: UInt = 0
    /// True if it was inside one callback all the time while another deputy watched.
    fileprivate private(set) var isStuck = false

    fileprivate init(pool: DeputyPool) { self.pool = pool }

    fileprivate static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
        let deputy = Unmanaged<Deputy>.fromOpaque(argument!).takeRetainedValue()
        DrainSession.make(deputy: deputy)
        deputy.pool.work(deputy)
        return nil
    }

    /// Begins to drain a serializer; the caller holds the pool's lock.
    fileprivate func begin() {
        isStuck = false
        sliceEnd = 0
    }

    /// True if another serializer waits for a deputy.
    var isAwaited: Bool { pool.isAwaited }

    /// Tells whether it continues with the serializer that it drains; called before each piece of work.
    ///
    /// - Parameter isCrowded: whether its producers are faster than it is. For a thread that emits without a pause it is quicker to deliver its events
    ///   itself than to hand them over, so after a while it is let in.
    func continues(isCrowded: Bool) -> Bool {
        let count = pieces.loadRelaxed() &+ 1
        pieces.storeRelaxed(count)
        // The clock is read for each piece, because a slow callback comes with few pieces.
        let now = MonotonicClock.now()
        if sliceEnd == 0 { sliceEnd = now + Deputy.slice }
        if now < sliceEnd { return true }
        sliceEnd = now + Deputy.slice
        return !isCrowded && !isAwaited
    }

    fileprivate func notePieces() {
        notedPieces = pieces.loadRelaxed()
        isStuck = false
    }

    fileprivate func judge() { isStuck = pieces.loadRelaxed() == notedPieces }
}

/// Waits until no serializer is left to a deputy (law L12), at most some seconds. For tests whose producers have returned.
package func waitForDeputies() { DeputyPool.waitUntilIdle() }
