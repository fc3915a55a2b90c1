// SPDX-License-Identifier: Apache-2.0

import RxSwift
import Testing

/// A state with transitions that may be called inside `#expect`.
private final class Word {
    private var state = PoolState(word: 0)

    var levels: UInt { state.levels }
    var isSuspended: Bool { state.isSuspended }
    var isShutdown: Bool { state.isShutdown }
    var hasWork: Bool { state.hasWork }
    var workerCount: Int { state.workerCount }
    var sleeping: Int { state.sleeping }
    var searching: Int { state.searching }

    func notifyWork(_ level: Int, limit: Int) -> PoolState.WakeDecision { state.notifyWork(level: level, limit: limit) }
    func clear(_ level: Int) { state.clear(level: level) }
    func restore(_ level: Int) { state.restore(level: level) }
    func beginSearch(limit: Int) -> Bool { state.beginSearch(limit: limit) }
    func endSearch() { state.endSearch() }
    func sleep(wasSearching: Bool) -> Bool { state.sleep(wasSearching: wasSearching) }
    func end(wasSearching: Bool) -> Bool { state.end(wasSearching: wasSearching) }
    func suspend() { state.suspend() }
    func resume(limit: Int) -> PoolState.WakeDecision { state.resume(limit: limit) }
    func shutdown(hasWork: Bool) -> PoolState.ShutdownDecision? { state.shutdown(hasWork: hasWork) }
}

@Suite struct PoolStateTests {
    @Test("Work starts workers one by one while no worker searches") func startsWorkers() {
        let state = Word()
        #expect(state.notifyWork(2, limit: 2) == .start(0))
        #expect(state.notifyWork(2, limit: 2) == .none)
        state.endSearch()
        #expect(state.notifyWork(4, limit: 2) == .start(1))
        state.endSearch()
        #expect(state.notifyWork(0, limit: 2) == .none)
        #expect(state.workerCount == 2 && state.searching == 0 && state.levels == 0b10101)
    }

    @Test("Work wakes a sleeper only if no worker searches") func wakesSleeper() {
        let state = Word()
        _ = state.notifyWork(1, limit: 2)
        state.endSearch()
        _ = state.notifyWork(1, limit: 2)
        state.clear(1)
        #expect(state.sleep(wasSearching: true))
        #expect(state.sleeping == 1 && state.searching == 0)
        #expect(state.notifyWork(3, limit: 2) == .wake)
        #expect(state.sleeping == 0 && state.searching == 1)
        #expect(state.notifyWork(3, limit: 2) == .none)
    }

    @Test("A worker does not fall asleep while there is work") func noSleepOverWork() {
        let state = Word()
        _ = state.notifyWork(1, limit: 1)
        #expect(!state.sleep(wasSearching: true))
        state.suspend()
        #expect(state.sleep(wasSearching: true))
        #expect(state.resume(limit: 1) == .wake)
        #expect(state.searching == 1 && state.sleeping == 0 && !state.isSuspended)
    }

    @Test("Work of a suspended pool wakes and starts no worker") func suspendedWork() {
        let state = Word()
        state.suspend()
        #expect(state.notifyWork(1, limit: 1) == .none)
        #expect(state.workerCount == 0 && !state.hasWork)
        #expect(state.resume(limit: 1) == .start(0))
        #expect(state.resume(limit: 1) == .none)
    }

    @Test("A shutdown wakes all workers and resumes the pool") func shutdownWakesAll() {
        let state = Word()
        for _ in 0..<3 {
            _ = state.notifyWork(1, limit: 3)
            state.endSearch()
        }
        state.clear(1)
        #expect(state.sleep(wasSearching: false) && state.sleep(wasSearching: false))
        state.suspend()
        let sealing = state.shutdown(hasWork: false)
        #expect(sealing?.wake == 2 && sealing?.decision == PoolState.WakeDecision.none && sealing?.isEnd == false)
        #expect(state.searching == 2 && state.sleeping == 0 && !state.isSuspended && state.isShutdown)
        #expect(state.shutdown(hasWork: true) == nil)
        #expect(state.notifyWork(1, limit: 3) == .none)
        state.suspend()
        #expect(!state.isSuspended && !state.sleep(wasSearching: true))
        #expect(!state.end(wasSearching: true) && !state.end(wasSearching: true) && state.end(wasSearching: false))
        #expect(state.workerCount == 0 && state.searching == 0)
    }

    @Test("A shutdown without workers starts one for the waiting work") func shutdownWithoutWorkers() {
        let idle = Word()
        #expect(idle.shutdown(hasWork: false)?.isEnd == true)
        let suspended = Word()
        suspended.suspend()
        _ = suspended.notifyWork(1, limit: 1)
        #expect(suspended.shutdown(hasWork: true)?.decision == .start(0))
        #expect(suspended.workerCount == 1 && suspended.searching == 1)
    }

    @Test("At most half of the workers search at a time") func searchLimit() {
        let state = Word()
        #expect(state.beginSearch(limit: 4) && state.beginSearch(limit: 4) && !state.beginSearch(limit: 4))
        let single = Word()
        #expect(single.beginSearch(limit: 1) && !single.beginSearch(limit: 1))
    }
}
