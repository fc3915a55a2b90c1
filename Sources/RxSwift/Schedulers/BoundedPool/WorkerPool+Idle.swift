// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// A worker that finds nothing searches for a moment, and then sleeps. The rules are those at the head of WorkerPool.swift.

extension WorkerPool {
    /// The time, in nanoseconds, that a worker without work looks at the state before it sleeps: less than waking it takes.
    private static var searchTime: Int { 1_100 }
    /// The time that it does so before it takes the single job that another worker has submitted to itself.
    private static var sparingTime: Int { 300 }

    /// Ends a successful search: if it was the last one, and there is more work, another worker is to search.
    func endSearch(_ worker: PoolWorker) {
        worker.isSearching = false
        let isLast = transition { state -> Bool in
            state.endSearch()
            return state.searching == 0
        }
        // Sequentially consistent: work whose submitter saw this search under way shows here.
        if isLast, hasWork { change { $0.wakeOne(limit: limit) } }
    }

    /// True if work is waiting, and there is a worker to wake or to start for it.
    var hasWork: Bool {
        let known = PoolState(word: state.loadSequentially())
        if known.sleeping == 0, known.workerCount == limit { return false }
        for level in 0..<PoolState.levelCount where known.levels & 1 << UInt(level) != 0 {
            if injectors[level].hasWork { return true }
            for number in 0..<known.workerCount {
                if worker(number)?._withUnsafeGuaranteedRef({ !$0.deques[level].isEmpty }) == true { return true }
            }
        }
        return false
    }

    /// Waits for work: first awake, then asleep. Returns false when this worker is to end.
    func idle(_ worker: PoolWorker) -> Bool {
        if worker.sawRefill {
            sched_yield()
            return true
        }
        if worker.sawSingle {
            beginSearch(worker)
            _ = SpinWait.spin(nanoseconds: WorkerPool.sparingTime) { PoolState(word: state.loadRelaxed()).isShutdown }
            return true
        }
        if worker.sawShutdown { return false }
        beginSearch(worker)
        if worker.isSearching {
            let foundWork = SpinWait.spin(nanoseconds: WorkerPool.searchTime) {
                let known = PoolState(word: state.loadRelaxed())
                return known.hasWork || known.isShutdown
            }
            if foundWork { return true }
        }
        let wasSearching = worker.isSearching
        guard transition({ $0.sleep(wasSearching: wasSearching) }) else { return true }
        wakeUps.wait()
        worker.isSearching = true
        return true
    }

    private func beginSearch(_ worker: PoolWorker) {
        if !worker.isSearching { worker.isSearching = transition { $0.beginSearch(limit: limit) } }
    }
}
