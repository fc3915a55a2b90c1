// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives
import Testing

@Suite struct MutexTests {
    private final class Shared: @unchecked Sendable {
        let mutex = Mutex()
        @exclusivity(unchecked) var count = 0

        var isLocked: Bool { mutex.owner != nil }

        func lock(_ kind: Mutex.FutexKind) {
            if !mutex.tryLock() { mutex.lockSlowly(kind) }
        }
    }

    @Test("One thread at a time holds the mutex") func mutualExclusion() {
        let shared = Shared()
        onThreads(4) { _ in
            for _ in 0..<50_000 {
                shared.mutex.lock()
                shared.count += 1
                shared.mutex.unlock()
                shared.mutex.withLock { shared.count -= 1 }
            }
        }
        #expect(shared.count == 0)
        #expect(!shared.isLocked)
    }

    /// Each kind of sleep, whether or not it is the one that this system would choose.
    @Test(
        "One thread at a time holds the mutex while waiters sleep",
        arguments: [Mutex.FutexKind.available, .plain, .none])
    func sleepingWaiters(_ kind: Mutex.FutexKind) {
        let shared = Shared()
        onThreads(4) { _ in
            for turn in 0..<2_000 {
                shared.lock(kind)
                shared.count += 1
                // This takes longer than the other threads spin.
                if turn % 16 == 0 { usleep(20) }
                shared.count -= 1
                shared.mutex.unlockSlowly(kind)
            }
        }
        #expect(shared.count == 0)
        #expect(!shared.isLocked)
    }

    @Test("A waiter sleeps") func waiterSleeps() {
        let shared = Shared()
        var consumed: UInt64 = 0
        shared.mutex.lock()
        let waiter = startThread {
            shared.mutex.lock()
            shared.mutex.unlock()
            consumed = threadCPUTime()
        }
        usleep(200_000)
        shared.mutex.unlock()
        pthread_join(waiter, nil)
        #expect(consumed < 50_000_000, "a thread that waited for 200 ms used \(consumed) ns of its processor")
    }

    @Test("withLock unlocks after a throw") func unlockedAfterThrow() {
        struct Thrown: Error {}
        let shared = Shared()
        for _ in 0..<2 {
            #expect(throws: Thrown.self) { try shared.mutex.withLock { throw Thrown() } }
        }
    }

    // MARK: Priorities

    /// The race: a real-time thread wants the lock while a normal thread of the same processor holds it. A waiter that spins or yields
    /// keeps the owner from running.
    @Test("A real-time thread does not hang behind a normal thread of its processor") func realTimeWaiter() throws {
        let longest = longestWaitOfARealTimeThread(besideBusyThread: false)
        if let longest { #expect(longest < 300_000_000, "waited for \(longest) ns") }
    }

    /// The race: as above, and a real-time thread of lower priority keeps the processor busy. The owner runs only if it inherits the
    /// waiter's priority.
    @Test("A real-time thread does not wait for threads of lower priority") func priorityInheritance() throws {
        guard case .priorityInheriting = Mutex.FutexKind.available else {
            return print("skipped: this system has no mutexes with priority inheritance")
        }
        let longest = longestWaitOfARealTimeThread(besideBusyThread: true)
        if let longest { #expect(longest < 100_000_000, "waited for \(longest) ns") }
    }

    /// The longest wait, in nanoseconds, of a real-time thread for a lock whose owner it has preempted; nil where the system allows
    /// no real-time threads.
    private func longestWaitOfARealTimeThread(besideBusyThread isBusy: Bool) -> UInt64? {
        let shared = Shared()
        let (held, done, hog) = (Semaphore(), Semaphore(), Semaphore())
        let rounds = 20
        let rejected = AtomicWord(0)
        let arrived = AtomicWord(0)
        let hasLock = AtomicWord(0)
        var longest: UInt64 = 0
        let realTime = startThread {
            if !(pinToFirstProcessor() && runInRealTime(priority: 20)) { rejected.storeReleasing(1) }
            _ = arrived.fetchAdd(1)
            for _ in 0..<rounds {
                held.wait()
                let begin = MonotonicClock.now()
                shared.mutex.lock()
                longest = max(longest, MonotonicClock.now() - begin)
                _ = hasLock.fetchAdd(1)
                shared.mutex.unlock()
                done.signal()
            }
        }
        // Runs for up to 200 ms in each round, unless the real-time thread gets its lock before.
        let busy = startThread {
            guard isBusy else { return }
            if !(pinToFirstProcessor() && runInRealTime(priority: 10)) { rejected.storeReleasing(1) }
            for round in 1...UInt(rounds) {
                hog.wait()
                let begin = MonotonicClock.now()
                while hasLock.loadAcquiring() < round, MonotonicClock.now() - begin < 200_000_000 {}
            }
        }
        let normal = startThread {
            _ = pinToFirstProcessor()
            while arrived.loadAcquiring() == 0 { usleep(100) }
            for _ in 0..<rounds {
                shared.mutex.lock()
                // The real-time thread preempts this one at once. The busy thread is ready by then, but runs after the other one.
                held.signal()
                hog.signal()
                shared.mutex.unlock()
                done.wait()
            }
        }
        for thread in [realTime, busy, normal] { pthread_join(thread, nil) }
        if rejected.loadAcquiring() != 0 {
            print("skipped: this system allows no real-time threads (sched_setscheduler), or no pinning")
            return nil
        }
        return longest
    }

    // MARK: Forks

    /// The child unlocks as handlers of `pthread_atfork` do, although its thread has another number than at the lock.
    @Test("A forked child unlocks a mutex that its thread had locked", arguments: [false, true])
    func forkedChild(isContended: Bool) throws {
        let shared = Shared()
        shared.mutex.lock()
        let waiter = startThread {
            if isContended { shared.mutex.withLock {} }
        }
        // The waiter is asleep after this time.
        if isContended { usleep(50_000) }
        let child = forkProcess()
        if child == 0 {
            shared.mutex.unlock()
            if shared.mutex.owner != nil { _exit(1) }
            shared.mutex.lock()
            // The number of a process is that of its first thread.
            if shared.mutex.owner != getpid() { _exit(2) }
            shared.mutex.unlock()
            _exit(shared.mutex.owner == nil ? 0 : 3)
        }
        shared.mutex.unlock()
        pthread_join(waiter, nil)
        #expect(exitStatus(of: child, within: 5) == 0)
        #expect(!shared.isLocked)
    }

    // MARK: References

    private final class Holder: @unchecked Sendable {
        final class Value {
            var number = 1
            deinit { number = 0 }
        }

        let mutex = Mutex()
        @exclusivity(unchecked) var value: Value? = Value()

        /// Reads the reference as an alarm reads the thread to wake.
        @inline(never)
        func read() -> Int {
            mutex.lock()
            let value = self.value
            mutex.unlock()
            return value?.number ?? 1
        }

        @inline(never)
        func replace() {
            var new: Value? = Value()
            mutex.withLock { swap(&new, &value) }
        }
    }

    /// The race: one thread copies a reference under the lock, another one takes it out and releases the object. If the copy
    /// were retained after the unlock (the compiler moves a retain past an atomic store), the object would be freed by then.
    @Test("A reference copied under the lock is retained under the lock") func retainUnderLock() {
        let holder = Holder()
        let wrong = AtomicWord(0)
        onThreads(2) { thread in
            for _ in 0..<1_000_000 {
                if thread == 0 {
                    holder.replace()
                } else if holder.read() != 1 {
                    _ = wrong.fetchAdd(1)
                }
            }
        }
        #expect(wrong.loadRelaxed() == 0)
    }
}
