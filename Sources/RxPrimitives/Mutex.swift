// SPDX-License-Identifier: Apache-2.0

import CRxPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

// Mutex: mutual exclusion in one word, with priority inheritance.
//
// Algorithm: a futex by which the kernel knows the owner (`man 2 futex`, FUTEX_LOCK_PI): the word is 0 or the number of the owner's
// thread, and its highest bit tells that threads wait in the kernel. While one waits, the owner runs with its priority, so that a
// real-time thread cannot wait for a thread that it keeps from running itself. `Synchronization.Mutex` is the same on Linux; it is
// not used because ThreadSanitizer reports races in it that are none, and because it traps where the kernel rejects such futexes.
//
// Progress: blocking. An uncontended `lock` and `unlock` are a compare-exchange each and no system call.
// Threads: any; the thread that locked unlocks. It is not recursive: a thread that locks twice traps.
// Fork: a child may unlock what the forking thread had locked. A mutex that another thread had locked stays locked in the child.
//
// A mutex is for deciding, never for calling out (law L7): no user code, observer, scheduler, disposable or deinit of a user's
// value runs while one is held.

/// Mutual exclusion with priority inheritance. One word, no allocation: embed it as a `let`.
///
/// Waiters spin for about a microsecond, yield for some, then sleep. The kernel passes the mutex to the waiter of the highest
/// priority, and among equals to the one that has waited longest.
@frozen
@usableFromInline
package struct Mutex: ~Copyable {
    /// 0: free. Else the number of the owner's thread, and `waiters`.
    @usableFromInline let word = AtomicWord(0)

    @inlinable
    package init() {}

    @inlinable @inline(__always)
    package func lock() {
        #if os(Linux) || os(Android)
            let thread = UInt(rx_thread_id_cached())
            // Acquiring: paired with the release in `unlock`.
            if thread == 0 || !word.compareExchange(0, thread) { lockSlowly() }
        #elseif canImport(Darwin)
            rx_unfair_lock(word.futex)
        #else
            lockByYielding()
        #endif
    }

    @inlinable @inline(__always)
    package func unlock() {
        #if os(Linux) || os(Android)
            // Releasing: paired with the acquire in `lock`. A compare-exchange also keeps references that were copied under the lock
            // counted under the lock: the optimizer moves retains past an atomic store.
            if !word.compareExchange(UInt(rx_thread_id_cached()), 0) { unlockSlowly() }
        #elseif canImport(Darwin)
            rx_unfair_unlock(word.futex)
        #else
            _ = word.exchange(0)
        #endif
    }

    /// Locks if no thread holds the mutex; returns whether it did.
    package func tryLock() -> Bool {
        #if canImport(Darwin)
            return rx_unfair_try_lock(word.futex)
        #else
            return word.compareExchange(0, max(1, UInt(rx_thread_id_load())))
        #endif
    }

    /// The kernel's number of the thread that holds the mutex, at one moment during the call. For tests.
    package var owner: Int32? {
        let held = word.loadRelaxed() & Mutex.ownerMask
        return held == 0 ? nil : Int32(truncatingIfNeeded: held)
    }

    @inlinable @inline(__always)
    package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}

// MARK: - Contended

extension Mutex {
    /// The bit for threads that wait in the kernel. Set by the kernel, or by a waiter that sleeps by `FutexKind.plain`; cleared
    /// with the owner's number.
    private static var waiters: UInt { 0x8000_0000 }
    /// The bits for the number of the owner's thread. The one between is the kernel's: an owner has ended without unlocking.
    private static var ownerMask: UInt { 0x3FFF_FFFF }

    /// The number of looks of a waiter before it yields: about a microsecond, a few times what a critical section takes.
    private static var spins: Int { 32 }

    /// The number of times that a waiter then yields its processor before it sleeps: some microseconds. A mutex that has a
    /// sleeping waiter is passed to that thread, which has to wake up first, and threads that come meanwhile sleep, too: eight
    /// threads that do little else on two processors take 500 to 6,000 ns per pair without the yields, and 30 with them.
    private static var yields: Int { 8 }

    /// The way in which waiters sleep.
    package enum FutexKind: Sendable {
        /// The kernel puts waiters to sleep, with priority inheritance.
        case priorityInheriting
        /// Without priority inheritance, where the kernel, a sandbox or an emulator rejects the other kind.
        case plain
        /// Sleeping for some microseconds at a time, where there are no futexes at all.
        case none

        /// The best kind that this system allows.
        package static let available: FutexKind = {
            let probe = Mutex()
            if rx_futex_lock_pi(probe.word.futex) == 0, rx_futex_unlock_pi(probe.word.futex) == 0 {
                return .priorityInheriting
            }
            return rx_futex_wake(probe.word.futex) == 0 ? .plain : .none
        }()
    }

    @usableFromInline @inline(never)
    func lockSlowly() { lockSlowly(.available) }

    @usableFromInline @inline(never)
    func unlockSlowly() { unlockSlowly(.available) }

    package func lockSlowly(_ kind: FutexKind) {
        let thread = UInt(rx_thread_id_load())
        // The mutex is free where the thread's number was not cached.
        if word.compareExchange(0, thread) { return }
        for attempt in 0..<Mutex.spins + Mutex.yields {
            if attempt < Mutex.spins { spinHint() } else { sched_yield() }
            if word.loadRelaxed() == 0, word.compareExchange(0, thread) { return }
        }
        switch kind {
        case .priorityInheriting: lockByKernel(thread)
        case .plain: lockByPlainFutex(thread)
        case .none: lockByYielding()
        }
    }

    private func lockByKernel(_ thread: UInt) {
        while true {
            switch rx_futex_lock_pi(word.futex) {
            case 0:
                // Acquiring: paired with the `fetchAdd` in `unlockSlowly`. The kernel has ordered the two; ThreadSanitizer does not see that.
                _ = word.loadAcquiring()
                return
            case EDEADLK: fatalError("swift-rx: a thread locks a mutex that it holds")
            case ESRCH: fatalError("swift-rx: a thread has ended without unlocking a mutex")
            // Interrupted; or the owner is ending, and is about to be found to have ended.
            case EINTR, EAGAIN: continue
            // Without memory for the waiter, or rejected to this thread alone.
            default:
                if word.compareExchange(0, thread) { return }
                rx_sleep_microseconds(50)
            }
        }
    }

    /// After Ulrich Drepper, "Futexes Are Tricky" (2011), the second mutex: a thread that has slept locks as if others slept, too.
    private func lockByPlainFutex(_ thread: UInt) {
        while true {
            let held = word.loadRelaxed()
            if held == 0 {
                if word.compareExchange(0, thread | Mutex.waiters) { return }
                continue
            }
            let contended = held | Mutex.waiters
            if held != contended, !word.compareExchange(held, contended) { continue }
            switch rx_futex_wait(word.futex, UInt32(truncatingIfNeeded: contended)) {
            // Woken; changed before; interrupted.
            case 0, EAGAIN, EINTR: continue
            default: rx_sleep_microseconds(50)
            }
        }
    }

    @usableFromInline
    func lockByYielding() {
        let thread = max(1, UInt(rx_thread_id_load()))
        while !word.compareExchange(0, thread) { rx_sleep_microseconds(50) }
    }

    package func unlockSlowly(_ kind: FutexKind) {
        // Releasing: paired with the load in `lockByKernel`.
        let held = word.fetchAdd(0)
        let thread = UInt(rx_thread_id_load())
        if held & Mutex.ownerMask != thread {
            precondition(held != 0, "swift-rx: a thread unlocks a mutex that is not locked")
            // Locked before a fork, under the number that this thread had in the parent. Threads that waited there do not exist
            // here.
            _ = word.exchange(0)
            return
        }
        if kind == .priorityInheriting {
            while true {
                switch rx_futex_unlock_pi(word.futex) {
                case 0: return
                case EINTR, EAGAIN: continue
                case let error: fatalError("swift-rx: a mutex cannot be unlocked (futex: \(error))")
                }
            }
        }
        if word.exchange(0) & Mutex.waiters != 0 { _ = rx_futex_wake(word.futex) }
    }
}
