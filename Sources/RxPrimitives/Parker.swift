// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Lets one thread wait until another one wakes it.
///
/// A wake-up is not lost when it comes first: it ends the next `park`. Several count as one.
package final class Parker: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    /// True if a wake-up came that has ended no `park` yet (under the mutex).
    private var isAwake = false

    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deinitialize(count: 1)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Waits for a wake-up, but not longer than until a time of `MonotonicClock`. By one thread at a time.
    package func park(until deadline: UInt64) {
        var time = timespec(
            tv_sec: time_t(truncatingIfNeeded: deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        pthread_mutex_lock(mutex)
        while !isAwake, pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT {}
        isAwake = false
        pthread_mutex_unlock(mutex)
    }

    /// Ends the current `park`, or the next one. From any thread.
    package func unpark() {
        pthread_mutex_lock(mutex)
        isAwake = true
        // Signalled before the mutex is unlocked: the thread that wakes up may release this object.
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }
}
