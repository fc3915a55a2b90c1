#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// Locks for deciding, never for calling out (law L7): no user code, observer, scheduler, disposable or deinit of a user's
// value runs while one is held. `Synchronization.Mutex` is not used because ThreadSanitizer reports races in it that are
// none; both locks here are built from what it understands.

/// Guards a handful of instructions. One word, no allocation; an uncontended pair costs two read-modify-writes.
///
/// A waiter spins briefly and then yields the processor until the holder is through.
@frozen
@usableFromInline
package struct SpinLock: ~Copyable {
    /// 0: free. 1: held.
    @usableFromInline let word = AtomicWord(0)

    @inlinable
    package init() {}

    @inlinable @inline(__always)
    package func lock() {
        // Acquiring: paired with the release in `unlock`.
        if !word.compareExchange(0, 1) { lockSlowly() }
    }

    @inlinable @inline(__always)
    package func unlock() {
        // Releasing: paired with the acquire in `lock`. Not a store: the optimizer moves retains past an atomic store, so that a
        // reference copied under the lock would be counted when another thread may have let the object go already.
        _ = word.exchange(0)
    }

    /// Ends a span in which no reference was read or written: half the cost of `unlock`.
    @inlinable @inline(__always)
    package func unlockAfterPlainBytes() {
        // Releasing: paired with the acquire in `lock`.
        word.storeReleasing(0)
    }

    @inlinable @inline(__always)
    package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    @usableFromInline @inline(never)
    func lockSlowly() {
        var attempts = 0
        while true {
            if word.loadRelaxed() == 0, word.compareExchange(0, 1) { return }
            attempts += 1
            if attempts > 64 { sched_yield() }
        }
    }
}

/// A mutex that puts waiters to sleep, for sections which are longer than a handful of instructions.
package final class Lock {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    package func lock() { pthread_mutex_lock(mutex) }

    package func unlock() { pthread_mutex_unlock(mutex) }

    package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}
