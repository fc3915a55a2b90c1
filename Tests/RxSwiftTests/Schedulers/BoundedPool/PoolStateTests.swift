import RxSwift
import Testing

/// A state that can be changed inside `#expect`.
private final class Word {
    private var state = PoolState(word: 0)

    var levels: UInt { state.levels }
    var isSuspended: Bool { state.isSuspended }
    var isSealed: Bool { state.isSealed }
    var hasWork: Bool { state.hasWork }
    var live: Int { state.live }
    var sleeping: Int { state.sleeping }
    var searching: Int { state.searching }

    func announce(_ level: Int, limit: Int) -> PoolState.Help { state.announce(level: level, limit: limit) }
    func clear(_ level: Int) { state.clear(level: level) }
    func restore(_ level: Int) { state.restore(level: level) }
    func beginSearch(limit: Int) -> Bool { state.beginSearch(limit: limit) }
    func endSearch() { state.endSearch() }
    func sleep(wasSearching: Bool) -> Bool { state.sleep(wasSearching: wasSearching) }
    func end(wasSearching: Bool) -> Bool { state.end(wasSearching: wasSearching) }
    func suspend() { state.suspend() }
    func resume(limit: Int) -> PoolState.Help { state.resume(limit: limit) }
    func seal(hasWork: Bool) -> PoolState.Sealing? { state.seal(hasWork: hasWork) }
}

@Suite struct PoolStateTests {
    @Test func workersAreStartedOneByOneWhileNobodySearches() {
        let state = Word()
        #expect(state.announce(2, limit: 2) == .start(0))
        #expect(state.announce(2, limit: 2) == .none)
        state.endSearch()
        #expect(state.announce(4, limit: 2) == .start(1))
        state.endSearch()
        #expect(state.announce(0, limit: 2) == .none)
        #expect(state.live == 2 && state.searching == 0 && state.levels == 0b10101)
    }

    @Test func aSleeperIsWokenOnlyIfNobodySearches() {
        let state = Word()
        _ = state.announce(1, limit: 2)
        state.endSearch()
        _ = state.announce(1, limit: 2)
        state.clear(1)
        #expect(state.sleep(wasSearching: true))
        #expect(state.sleeping == 1 && state.searching == 0)
        #expect(state.announce(3, limit: 2) == .wake)
        #expect(state.sleeping == 0 && state.searching == 1)
        #expect(state.announce(3, limit: 2) == .none)
    }

    @Test func nobodySleepsOverWork() {
        let state = Word()
        _ = state.announce(1, limit: 1)
        #expect(!state.sleep(wasSearching: true))
        state.suspend()
        #expect(state.sleep(wasSearching: true))
        #expect(state.resume(limit: 1) == .wake)
        #expect(state.searching == 1 && state.sleeping == 0 && !state.isSuspended)
    }

    @Test func suspendedWorkWakesAndStartsNobody() {
        let state = Word()
        state.suspend()
        #expect(state.announce(1, limit: 1) == .none)
        #expect(state.live == 0 && !state.hasWork)
        #expect(state.resume(limit: 1) == .start(0))
        #expect(state.resume(limit: 1) == .none)
    }

    @Test func sealingWakesAllAndResumes() {
        let state = Word()
        for _ in 0..<3 {
            _ = state.announce(1, limit: 3)
            state.endSearch()
        }
        state.clear(1)
        #expect(state.sleep(wasSearching: false) && state.sleep(wasSearching: false))
        state.suspend()
        let sealing = state.seal(hasWork: false)
        #expect(sealing?.wake == 2 && sealing?.help == PoolState.Help.none && sealing?.isEnd == false)
        #expect(state.searching == 2 && state.sleeping == 0 && !state.isSuspended && state.isSealed)
        #expect(state.seal(hasWork: true) == nil)
        #expect(state.announce(1, limit: 3) == .none)
        state.suspend()
        #expect(!state.isSuspended && !state.sleep(wasSearching: true))
        #expect(!state.end(wasSearching: true) && !state.end(wasSearching: true) && state.end(wasSearching: false))
        #expect(state.live == 0 && state.searching == 0)
    }

    @Test func sealingWithoutWorkersStartsOneForWhatWaits() {
        let idle = Word()
        #expect(idle.seal(hasWork: false)?.isEnd == true)
        let suspended = Word()
        suspended.suspend()
        _ = suspended.announce(1, limit: 1)
        #expect(suspended.seal(hasWork: true)?.help == .start(0))
        #expect(suspended.live == 1 && suspended.searching == 1)
    }

    @Test func halfOfTheWorkersSearchAtMost() {
        let state = Word()
        #expect(state.beginSearch(limit: 4) && state.beginSearch(limit: 4) && !state.beginSearch(limit: 4))
        let single = Word()
        #expect(single.beginSearch(limit: 1) && !single.beginSearch(limit: 1))
    }
}
