// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxPrimitives
import TestSupport
import Testing

@Suite struct BlockingPoolTests {
    /// Threads of the system, of which some cannot be had.
    private final class Threads: Sendable {
        /// The number of starts that fail from now on.
        let failures = AtomicCounter(0)
        let attempts = AtomicCounter(0)

        @Sendable func start(_ body: @escaping () -> Void) -> CInt {
            attempts.increment()
            if failures.value > 0 {
                failures.decrement()
                return EAGAIN
            }
            return startThread(body)
        }
    }

    /// Occupies threads of a pool until it is opened.
    private final class Gate: Sendable {
        let entered = AtomicCounter(0)
        private let isOpen = AtomicCounter(0)

        func open() { isOpen.increment() }

        func task() -> ClosureTask {
            ClosureTask {
                self.entered.increment()
                while self.isOpen.value == 0 { usleep(500) }
            }
        }
    }

    @Test("Threads start on demand up to the limit, and each task runs once")
    func limit() {
        let pool = BlockingPool(name: "test", limit: 3)
        let gate = Gate()
        let ran = AtomicCounter(0)
        #expect(pool.threadCount == 0)
        for number in 1...5 {
            #expect(pool.submit(gate.task()) == .accepted)
            #expect(pool.threadCount == min(number, 3))
        }
        for _ in 0..<100 { #expect(pool.submit(ClosureTask { ran.increment() }) == .accepted) }
        #expect(settles { gate.entered.value == 3 })
        #expect(ran.value == 0)
        gate.open()
        #expect(settles { ran.value == 100 })
        #expect(gate.entered.value == 5 && pool.threadCount == 3)
    }

    /// The notices of stuck threads while `body` runs.
    private func stuckNotices(_ name: String, _ body: (() -> Int) -> Void) -> Int {
        let notices = Guarded<[String]>([])
        let count = { notices.value.filter { $0.contains("threads of \(name)") }.count }
        let usual = IOHooks.noticeHandler
        IOHooks.noticeHandler = { notice in notices.change { $0.append(notice) } }
        defer { IOHooks.noticeHandler = usual }
        body(count)
        return count()
    }

    /// The fault: calls that hang in the kernel stopped all later ones, of other files too, without a word, or without one until another call came.
    @Test("A pool whose threads are all stuck says so, once, a second later")
    func stuck() {
        let pool = BlockingPool(name: "test.stuck", limit: 2)
        let gate = Gate()
        let notices = stuckNotices("test.stuck") { count in
            for _ in 0..<3 { _ = pool.submit(gate.task()) }
            usleep(500_000)
            #expect(count() == 0)
            #expect(settles { count() == 1 })
            for _ in 0..<3 { _ = pool.submit(gate.task()) }
            usleep(1_200_000)
        }
        #expect(notices == 1)
        gate.open()
        #expect(settles { gate.entered.value == 6 })
    }

    /// The fault: the time of a task that was cancelled counted until the next task that waited.
    @Test("A pool whose threads became free is not stuck when they are busy again")
    func freeMeanwhile() {
        let pool = BlockingPool(name: "test.free", limit: 2)
        let notices = stuckNotices("test.free") { _ in
            for _ in 0..<2 {
                let gate = Gate()
                for _ in 0..<2 { _ = pool.submit(gate.task()) }
                #expect(settles { gate.entered.value == 2 })
                let task = ClosureTask {}
                #expect(pool.submit(task) == .accepted)
                #expect(pool.cancel(task))
                usleep(100_000)
                gate.open()
                usleep(1_200_000)
            }
        }
        #expect(notices == 0)
    }

    @Test("Work that waits for threads that become free again and again is no notice")
    func slowButNotStuck() {
        let pool = BlockingPool(name: "test.slow", limit: 2)
        let ran = AtomicCounter(0)
        let notices = stuckNotices("test.slow") { _ in
            for _ in 0..<24 {
                _ = pool.submit(
                    ClosureTask {
                        usleep(200_000)
                        ran.increment()
                    })
            }
            #expect(settles { ran.value == 24 })
        }
        #expect(notices == 0)
    }

    /// The fault: a program that floods a loop at its end got 64 threads, with which the loop competed for the processors.
    @Test("A patient pool starts no further threads while its tasks end")
    func patience() {
        let pool = BlockingPool(name: "test", limit: 64, startingAtOnce: 2)
        let (ran, most) = (AtomicCounter(0), Guarded(0))
        let count = 20_000
        let submit = {
            for _ in 0..<count {
                _ = pool.submit(ClosureTask { ran.increment() })
                most.change { $0 = max($0, pool.threadCount) }
            }
        }
        race(submit, submit)
        #expect(settles { ran.value == 2 * count })
        // Two, the watcher, and some that it takes for stuck on a busy machine.
        #expect(most.value >= 2 && most.value <= 16)
    }

    @Test("A patient pool adds threads, one after another, while its tasks are slow")
    func slowTasks() {
        let pool = BlockingPool(name: "test", limit: 64, startingAtOnce: 2)
        let ran = AtomicCounter(0)
        for _ in 0..<400 {
            _ = pool.submit(
                ClosureTask {
                    usleep(5_000)
                    ran.increment()
                })
        }
        #expect(settles { ran.value == 400 })
        #expect(pool.threadCount > 3)
    }

    @Test("A patient pool starts all its threads when those that it has are stuck", arguments: 0..<3)
    func impatience(_ round: Int) {
        let pool = BlockingPool(name: "test", limit: 20, startingAtOnce: 2)
        let ran = AtomicCounter(0)
        // Threads that sleep are taken first.
        for _ in 0..<round { _ = pool.submit(ClosureTask { ran.increment() }) }
        #expect(settles { ran.value == round })
        let gate = Gate()
        for _ in 0..<19 { #expect(pool.submit(gate.task()) == .accepted) }
        #expect(settles { gate.entered.value == 19 })
        _ = pool.submit(ClosureTask { ran.increment() })
        #expect(settles { ran.value == round + 1 })
        for _ in 0..<3 { _ = pool.submit(gate.task()) }
        #expect(settles { gate.entered.value == 20 })
        #expect(pool.threadCount == 20)
        gate.open()
        #expect(settles { gate.entered.value == 22 })
    }

    @Test("A thread ends when it was idle for the timeout, and another one starts later")
    func idleTimeout() {
        let pool = BlockingPool(name: "test", limit: 2, idleTimeout: 1_000_000)
        for _ in 0..<20 {
            let ran = AtomicCounter(0)
            #expect(pool.submit(ClosureTask { ran.increment() }) == .accepted)
            #expect(settles { ran.value == 1 })
            #expect(settles { pool.threadCount == 0 })
        }
    }

    @Test("A sleeping thread takes the next task instead of a new thread")
    func reuse() {
        let pool = BlockingPool(name: "test", limit: 8)
        for _ in 0..<50 {
            let ran = AtomicCounter(0)
            _ = pool.submit(ClosureTask { ran.increment() })
            #expect(settles { ran.value == 1 })
            usleep(2_000)
        }
        #expect(pool.threadCount <= 3)
    }

    @Test("One thread runs tasks in the order of submission")
    func order() {
        let pool = BlockingPool(name: "test", limit: 1)
        let gate = Gate()
        let log = Guarded<[Int]>([])
        _ = pool.submit(gate.task())
        for number in 0..<100 { _ = pool.submit(ClosureTask { log.change { $0.append(number) } }) }
        gate.open()
        #expect(settles { log.value.count == 100 })
        #expect(log.value == Array(0..<100))
    }

    @Test("A cancelled task that waits never runs, and is released", arguments: [0, 1, 2])
    func cancellation(_ place: Int) {
        let pool = BlockingPool(name: "test", limit: 1)
        let gate = Gate()
        let log = Guarded<[Int]>([])
        let running = gate.task()
        _ = pool.submit(running)
        #expect(settles { gate.entered.value == 1 })
        var tasks = (0..<3).map { number in ClosureTask { log.change { $0.append(number) } } }
        weak let cancelled = tasks[place]
        for task in tasks { _ = pool.submit(task) }
        #expect(pool.cancel(tasks[place]))
        #expect(!pool.cancel(tasks[place]))
        #expect(!pool.cancel(running))
        tasks = []
        #expect(cancelled == nil)
        gate.open()
        #expect(settles { log.value.count == 2 })
        #expect(log.value == [0, 1, 2].filter { $0 != place })
    }

    @Test("A submission race with cancellations runs or cancels each task, never both")
    func cancellationRace() {
        let pool = BlockingPool(name: "test", limit: 2, idleTimeout: 50_000)
        for round in 0..<300 {
            let ran = AtomicCounter(0)
            let cancelled = AtomicCounter(0)
            let tasks = (0..<8).map { _ in ClosureTask { ran.increment() } }
            race(
                { for task in tasks { _ = pool.submit(task) } },
                {
                    jitter(round)
                    for task in tasks where pool.cancel(task) { cancelled.increment() }
                })
            #expect(settles { ran.value + cancelled.value == 8 })
        }
    }

    @Test("A pool without threads rejects a task, and takes it when the system has a thread again")
    func noThread() {
        let threads = Threads()
        let pool = BlockingPool(name: "test", limit: 2, startThread: threads.start)
        threads.failures.increment()
        let ran = AtomicCounter(0)
        let task = ClosureTask { ran.increment() }
        #expect(pool.submit(task) == .rejected(EAGAIN))
        #expect(pool.threadCount == 0)
        #expect(!pool.cancel(task))
        #expect(pool.submit(task) == .accepted)
        #expect(settles { ran.value == 1 })
    }

    @Test("A task for which the system has no further thread waits for the busy ones")
    func fewThreads() {
        let threads = Threads()
        let pool = BlockingPool(name: "test", limit: 2, startThread: threads.start)
        let gate = Gate()
        #expect(pool.submit(gate.task()) == .accepted)
        #expect(settles { gate.entered.value == 1 })
        for _ in 0..<2 { threads.failures.increment() }
        let ran = AtomicCounter(0)
        let task = ClosureTask { ran.increment() }
        #expect(pool.submit(task) == .waiting(EAGAIN))
        #expect(pool.retry(task) == .waiting(EAGAIN))
        #expect(ran.value == 0)
        gate.open()
        #expect(settles { ran.value == 1 })
        let attempts = threads.attempts.value
        #expect(pool.retry(task) == .accepted)
        #expect(threads.attempts.value == attempts)
    }

    @Test("Another attempt starts a thread for a task that waits behind a thread that is stuck")
    func retry() {
        let threads = Threads()
        let pool = BlockingPool(name: "test", limit: 2, startThread: threads.start)
        let gate = Gate()
        defer { gate.open() }
        #expect(pool.submit(gate.task()) == .accepted)
        #expect(settles { gate.entered.value == 1 })
        threads.failures.increment()
        let ran = AtomicCounter(0)
        let task = ClosureTask { ran.increment() }
        #expect(pool.submit(task) == .waiting(EAGAIN))
        #expect(pool.retry(task) == .accepted)
        #expect(settles { ran.value == 1 })
    }

    @Test("Failing starts that race with submissions lose no accepted task")
    func failureRace() {
        let threads = Threads()
        let pool = BlockingPool(name: "test", limit: 3, idleTimeout: 20_000, startThread: threads.start)
        for round in 0..<300 {
            let accepted = AtomicCounter(0)
            let ran = AtomicCounter(0)
            for _ in 0..<round % 5 { threads.failures.increment() }
            let submit: @Sendable () -> Void = {
                for _ in 0..<4 {
                    if case .rejected = pool.submit(ClosureTask { ran.increment() }) { continue }
                    accepted.increment()
                }
            }
            race(submit, submit)
            #expect(settles { ran.value == accepted.value })
        }
    }

    @Test("A thread of a pool takes no signals")
    func signals() {
        let pool = BlockingPool(name: "test", limit: 1)
        let blocked = AtomicCounter(-1)
        _ = pool.submit(
            ClosureTask {
                var mask = sigset_t()
                pthread_sigmask(SIG_BLOCK, nil, &mask)
                blocked.increment()
                for signal in [SIGINT, SIGTERM, SIGUSR1, SIGCHLD] where sigismember(&mask, signal) == 1 {
                    blocked.increment()
                }
            })
        #expect(settles { blocked.value == 4 })
    }
}
