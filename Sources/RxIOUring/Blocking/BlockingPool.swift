// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives

// Algorithm: a queue under a lock, and a stack of sleeping threads. A task goes to the thread that went to sleep last; without one
// it goes to a new thread, and at the bound into the queue. A thread looks into the queue before it sleeps, so the queue is empty
// while a thread sleeps, and while there is none. A thread ends when it has slept for the idle timeout.
//
// A pool can also be patient. Then a task that finds as many busy threads as start at once goes into the queue, and one further thread, the
// watcher, looks at the queue from time to time. If no task was taken meanwhile, the busy threads are stuck; if the queue is not empty after some
// looks, they are slow. Then the watcher takes a task, and there is another watcher while more tasks wait.
//
// While tasks wait for a pool at its bound, one more thread, the lookout, sleeps until a second has passed in which none became free.
//
// Progress: blocking, also while another thread starts one: if starts happened outside the lock, tasks could wait for a thread whose
// start fails.
// Threads: any thread may call any method. No task runs under the lock (law L7).
// Fork: a child has none of the threads, and forgets the queue, which is its parent's.

/// A bounded pool of threads for work that blocks: system calls that cannot be told not to wait.
///
/// Threads start on demand. If the system has none, work waits for those that there are; without any the submission is rejected, and
/// `IOHooks.noticeHandler` is called at the first failure. A pool serves one kind of work, so that work of one kind that is stuck in
/// the kernel keeps no other kind waiting.
package final class BlockingPool: @unchecked Sendable {
    /// Opens and looks up files.
    package static let files = BlockingPool(name: "rx.files", limit: 32)
    /// Reads, writes and synchronizes files, for loops that use epoll.
    package static let disk = BlockingPool(name: "rx.disk", limit: 32)
    /// Resolves names of hosts.
    package static let lookups = BlockingPool(name: "rx.lookups", limit: 32)
    /// Delivers the errors of loops that were shut down; the observers are code of the user.
    ///
    /// Most of them end soon: as many threads as the flood of a busy program could fill would only take the processors from the loop that ends.
    package static let deliveries = BlockingPool(name: "rx.deliveries", limit: 64, startingAtOnce: 2)

    /// Runs the code of actors whose loop was shut down, one piece at a time.
    package static let actors = BlockingPool(name: "rx.actors", limit: 1)

    private static let all = [files, disk, lookups, deliveries, actors]

    /// The result of a submission.
    package enum Submission: Equatable {
        /// A thread runs the task, or all threads that the pool may have are busy and one of them will.
        case accepted
        /// The task waits for one of the busy threads, as the system has no further thread: the error of `pthread_create`.
        case waiting(CInt)
        /// The pool has no thread, and the system gave it none: the error of `pthread_create`. The task will not run.
        case rejected(CInt)
    }

    /// The nanoseconds for which a task waits until the busy threads count as stuck, if fewer than `limit` are.
    private static let stuckTime: UInt64 = 10_000_000
    /// The nanoseconds after which threads of which none has become free, while tasks wait, are reported.
    private static let reportTime: UInt64 = 1_000_000_000
    /// The number of such times after which one more thread helps the busy ones, which may be slow.
    private static let mostLooks = 10

    private let name: String
    private let limit: Int
    /// The number of busy threads from which a task waits, until it is known that they are stuck.
    private let startingAtOnce: Int
    private let idleTimeout: UInt64
    private let startThread: (@escaping () -> Void) -> CInt

    private let lock = Mutex()
    /// The ends of the queue (under the lock).
    @exclusivity(unchecked) private var first: BlockingTask?
    @exclusivity(unchecked) private unowned(unsafe) var last: BlockingTask?
    /// The sleeping threads, the last to go to sleep at the end (under the lock).
    @exclusivity(unchecked) private var idle: [Worker] = []
    /// The number of threads (under the lock).
    @exclusivity(unchecked) private var threads = 0
    /// True while one of them is the watcher (under the lock).
    @exclusivity(unchecked) private var hasWatcher = false
    /// The number of tasks that were taken from the queue (under the lock).
    @exclusivity(unchecked) private var taken: UInt = 0
    /// True if the last start of a thread failed (under the lock).
    @exclusivity(unchecked) private var hasShortage = false
    /// The time until which `run` does not wait for a thread, as it has waited in vain before (under the lock).
    @exclusivity(unchecked) private var shortageEnd: UInt64 = 0

    /// The time of the first task that found all threads busy since one of them last became free; 0 if there is none (under the lock).
    @exclusivity(unchecked) private var waitStart: UInt64 = 0
    /// True while a thread of its own waits for the moment to report that none becomes free (under the lock).
    @exclusivity(unchecked) private var hasLookout = false
    /// True once that was reported (under the lock).
    @exclusivity(unchecked) private var isStuckKnown = false

    /// - Parameters:
    ///   - name: names the threads, in 15 bytes at most.
    ///   - limit: the largest number of threads, at least 1.
    ///   - startingAtOnce: the number of threads, at least 1, beyond which one starts only if no task was taken for 10 ms, or some wait for 100 ms; nil for `limit`.
    ///   - idleTimeout: the nanoseconds after which a thread without work ends.
    ///   - startThread: starts a thread; returns 0 or an errno.
    package init(
        name: String, limit: Int, startingAtOnce: Int? = nil, idleTimeout: UInt64 = 5_000_000_000,
        startThread: @escaping (@escaping () -> Void) -> CInt = RxIOUring.startThread
    ) {
        self.name = name
        self.limit = limit
        self.startingAtOnce = startingAtOnce ?? limit
        self.idleTimeout = idleTimeout
        self.startThread = startThread
    }

    /// The number of threads.
    package var threadCount: Int { lock.withLock { threads } }

    /// Submits a task, which runs after the tasks that wait already.
    package func submit(_ task: BlockingTask) -> Submission {
        BlockingPool.watchesForks
        lock.lock()
        let isFull = busyThreads >= startingAtOnce
        if !isFull, let worker = idle.popLast() {
            worker.task = task
            lock.unlock()
            worker.parker.unpark()
            return .accepted
        }
        if isFull || threads == limit {
            append(task)
            addWatcher()
            noteWait()
            lock.unlock()
            return .accepted
        }
        let status = start(Worker(task))
        let isRejected = threads == 0
        if status != 0, !isRejected { append(task) }
        let isFirstShortage = noteShortage(status != 0)
        lock.unlock()
        if isFirstShortage { IOHooks.report("the system has no thread for \(name) (pthread_create: \(status))") }
        if status == 0 { return .accepted }
        return isRejected ? .rejected(status) : .waiting(status)
    }

    /// Runs a closure soon on a thread of the pool. Returns false if the system has had no thread for a second.
    package func run(_ body: @escaping () -> Void) -> Bool {
        let task = ClosureTask(body)
        let isShort = lock.withLock { MonotonicClock.now() < shortageEnd }
        for attempt in 0..<(isShort ? 1 : 100) {
            if attempt > 0 { usleep(10_000) }
            if case .rejected = submit(task) { continue }
            return true
        }
        lock.withLock { shortageEnd = MonotonicClock.now() &+ 1_000_000_000 }
        return false
    }

    /// Removes a task from the queue. Returns false if it has run, is running, or was never queued.
    @discardableResult
    package func cancel(_ task: BlockingTask) -> Bool {
        // Released outside the lock by the caller, which holds it.
        lock.withLock {
            if !task.isWaiting { return false }
            remove(task)
            return true
        }
    }

    /// Tries again to start a thread while a task waits whose submission returned `waiting`.
    package func retry(_ task: BlockingTask) -> Submission {
        lock.withLock {
            if !task.isWaiting || threads == limit { return .accepted }
            // The thread takes its first task from the queue.
            let status = start(Worker(nil))
            return status == 0 ? .accepted : .waiting(status)
        }
    }

    /// Reports if no thread becomes free for a second. Ends then, or a second after a thread has become free and left no task waiting.
    private func lookOut() {
        BlockingPool.prepareThread(name)
        let pause = Parker()
        lock.lock()
        while waitStart != 0, MonotonicClock.now() < waitStart &+ BlockingPool.reportTime {
            let end = waitStart &+ BlockingPool.reportTime
            lock.unlock()
            pause.park(until: end)
            lock.lock()
        }
        hasLookout = false
        isStuckKnown = waitStart != 0
        let isStuck = isStuckKnown
        lock.unlock()
        if isStuck { reportStuck() }
    }

    private func reportStuck() {
        IOHooks.report(
            "all \(limit) threads of \(name) are in calls that have not returned for a second; what else needs one waits"
        )
    }

    // MARK: Under the lock

    /// Starts a thread. Returns 0 or an errno.
    private func start(_ worker: Worker) -> CInt {
        let status = startThread { self.work(worker) }
        if status == 0 { threads += 1 }
        return status
    }

    /// Returns true for the first failed start after a successful one.
    private func noteShortage(_ failed: Bool) -> Bool {
        defer { hasShortage = failed }
        return failed && !hasShortage
    }

    private var busyThreads: Int { threads - idle.count - (hasWatcher ? 1 : 0) }

    /// Makes a thread the watcher, unless there is one or none is left.
    private func addWatcher() {
        if hasWatcher || startingAtOnce == limit { return }
        if let worker = idle.popLast() {
            hasWatcher = true
            worker.isWatcher = true
            worker.parker.unpark()
        } else if threads < limit {
            let worker = Worker(nil)
            worker.isWatcher = true
            // Without a thread the tasks wait for those that are busy, and the next submission tries again.
            hasWatcher = start(worker) == 0
        }
    }

    /// Notes that a task waits for one of as many threads as there may be.
    private func noteWait() {
        if threads < limit { return }
        if waitStart == 0 { waitStart = MonotonicClock.now() }
        // Without a thread for it the next task that waits tries again.
        if !hasLookout, !isStuckKnown { hasLookout = startThread(lookOut) == 0 }
    }

    private func append(_ task: BlockingTask) {
        task.isWaiting = true
        if let last {
            last.next = task
            task.previous = last
        } else {
            first = task
        }
        last = task
    }

    private func remove(_ task: BlockingTask) {
        task.isWaiting = false
        let next = task.next
        let previous = task.previous
        task.next = nil
        task.previous = nil
        if let next { next.previous = previous } else { last = previous }
        if let previous { previous.next = next } else { first = next }
    }

    // MARK: The threads

    /// A thread of the pool.
    private final class Worker {
        let parker = Parker()
        /// The task that the thread runs next: set under the lock while the thread sleeps or starts, and taken by the thread.
        @exclusivity(unchecked) var task: BlockingTask?
        /// True while it watches the queue (under the lock).
        @exclusivity(unchecked) var isWatcher = false

        init(_ task: BlockingTask?) { self.task = task }
    }

    private func work(_ worker: Worker) {
        BlockingPool.prepareThread(name)
        while let task = next(for: worker) { task.run() }
    }

    /// The next task of a thread; nil if the thread is to end.
    private func next(for worker: Worker) -> BlockingTask? {
        if let task = take(from: worker) { return task }
        lock.lock()
        defer { lock.unlock() }
        while true {
            if let task = worker.isWatcher ? watch(as: worker) : takeFirst() { return task }
            idle.append(worker)
            lock.unlock()
            worker.parker.park(until: MonotonicClock.now() &+ idleTimeout)
            lock.lock()
            if let index = idle.firstIndex(where: { $0 === worker }) {
                idle.remove(at: index)
                threads -= 1
                return nil
            }
            if let task = take(from: worker) { return task }
        }
    }

    /// Watches the queue until no task waits, or none was taken for a while, or the tasks do not come to an end: then the thread takes the first one.
    /// Releases the lock meanwhile.
    private func watch(as worker: Worker) -> BlockingTask? {
        var known = taken &- 1
        for _ in 0..<BlockingPool.mostLooks where first != nil && known != taken {
            known = taken
            lock.unlock()
            worker.parker.park(until: MonotonicClock.now() &+ BlockingPool.stuckTime)
            lock.lock()
        }
        worker.isWatcher = false
        hasWatcher = false
        let task = takeFirst()
        if first != nil { addWatcher() }
        return task
    }

    /// The next task for a thread that has become free.
    private func takeFirst() -> BlockingTask? {
        (waitStart, isStuckKnown) = (0, false)
        guard let task = first else { return nil }
        remove(task)
        taken &+= 1
        // The others wait from now on.
        if first != nil { noteWait() }
        return task
    }

    private func take(from worker: Worker) -> BlockingTask? {
        defer { worker.task = nil }
        return worker.task
    }

    /// Blocks the signals that other threads can take: a handler would interrupt the system calls made here.
    private static func prepareThread(_ name: String) {
        rx_thread_prepare(name)
        var signals = sigset_t()
        sigfillset(&signals)
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { sigdelset(&signals, fault) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    // MARK: Forks

    /// The locks are held during a fork: another thread that held one would be missing in the child, and never release it.
    private static let watchesForks: Void = {
        // Initialized before the handlers use it.
        _ = all
        // Fails only without memory. Then a child must not use its parent's loops, as the documentation tells it.
        _ = pthread_atfork(
            { for pool in all { pool.lock.lock() } }, { for pool in all { pool.lock.unlock() } },
            {
                for pool in all {
                    pool.wasForked()
                    pool.lock.unlock()
                }
            })
    }()

    /// Forgets the parent's threads and tasks, without a release: the tasks may hold descriptors that are the parent's.
    private func wasForked() {
        if let first { _ = Unmanaged.passRetained(first) }
        for worker in idle { _ = Unmanaged.passRetained(worker) }
        first = nil
        last = nil
        idle = []
        threads = 0
        hasWatcher = false
        hasLookout = false
        (waitStart, isStuckKnown) = (0, false)
    }
}
