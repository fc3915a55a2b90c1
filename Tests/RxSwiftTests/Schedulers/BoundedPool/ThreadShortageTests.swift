// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// A pool on a system that has no thread for a worker.
@Suite(.serialized) struct ThreadShortageTests {
    /// Makes all starts of worker threads fail during a call, and counts the reports.
    private func withoutThreads(_ starts: UInt = 1_000_000, _ body: () async -> Void) async -> Int {
        let before = Hooks.threadShortageHandler
        let reports = AtomicCounter(0)
        Hooks.threadShortageHandler = { _, error in
            if error == EAGAIN { reports.increment() }
        }
        _ = PoolWorker.failuresToSimulate.exchange(starts)
        await body()
        _ = PoolWorker.failuresToSimulate.exchange(0)
        Hooks.threadShortageHandler = before
        return reports.value
    }

    @Test("The present workers do all the work") func presentWorkers() async {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 4, name: "shortage")
        let gate = pool.occupy()
        let ran = AtomicCounter(0)
        let reports = await withoutThreads {
            for _ in 0..<1_000 { pool.run { ran.increment() } }
            #expect(ran.value == 0)
            gate.fire()
            #expect(await eventually { ran.value == 1_000 })
        }
        #expect(reports == 1)
        #expect(threadCount(named: "shortage") == 1)
        pool.shutdown()
    }

    @Test("A sleeping worker takes the work of one that did not start") func wokenSleeper() async {
        for _ in 0..<200 {
            let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2, name: "shortage")
            let ran = AtomicCounter(0)
            pool.run { ran.increment() }
            _ = await withoutThreads {
                for _ in 0..<20 {
                    pool.run { ran.increment() }
                    jitter(ran.value)
                }
                #expect(await eventually { ran.value == 21 })
            }
            pool.shutdown()
        }
    }

    @Test("Without any worker the work waits for the next submission") func noWorker() async {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2, name: "shortage")
        let ran = AtomicCounter(0)
        let reports = await withoutThreads {
            for _ in 0..<10 { pool.run { ran.increment() } }
        }
        #expect(reports == 1)
        #expect(ran.value == 0)
        pool.run { ran.increment() }
        #expect(await eventually { ran.value == 11 })
        pool.shutdown()
        #expect(ran.value == 11)
    }

    @Test("A shutdown runs the work that has no worker yet") func shutdownRunsWork() async {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2, name: "shortage")
        let ran = AtomicCounter(0)
        _ = await withoutThreads(12) {
            for _ in 0..<10 { pool.run { ran.increment() } }
            pool.shutdown()
        }
        #expect(ran.value == 10)
    }

    @Test("A pool that never gets a thread rejects its work at the shutdown") func shutdownRejectsWork() async {
        let log = RejectionLog()
        defer { log.end() }
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2, name: "no thread")
        let ran = AtomicCounter(0)
        _ = await withoutThreads {
            for _ in 0..<10 { pool.run { ran.increment() } }
            pool.shutdown()
        }
        #expect(ran.value == 0)
        #expect(log["no thread"] == 10)
    }

    /// The fault: a pool that never had a timer cancelled its timers' source, for which Dispatch waited for a thread.
    @Test("A pool is released where the process may have no more threads") func release() async {
        await #expect(processExitsWith: .success) {
            // The limit does not hold for the superuser.
            _ = setuid(65_534)
            var limit = rlimit(rlim_cur: 1, rlim_max: 1)
            setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit)
            alarm(20)
            BoundedPoolScheduler(maxConcurrentOperationCount: 2).shutdown()
            exit(0)
        }
    }
}
