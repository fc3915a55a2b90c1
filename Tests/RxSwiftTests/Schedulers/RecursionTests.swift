// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct RecursionTests {
    private let scheduler = CurrentThreadScheduler.instance

    @Test("Recursion needs no stack") func deepRecursion() {
        var count = 0
        _ = scheduler.scheduleRecursive(1) { state, recurse in
            count = state
            if state < 1_000_000 { recurse(state + 1) }
        }
        #expect(count == 1_000_000)
    }

    @Test("Recursion may branch") func branchingRecursion() {
        var log: [Int] = []
        _ = scheduler.scheduleRecursive(1) { state, recurse in
            log.append(state)
            if state < 4 {
                recurse(2 * state)
                recurse(2 * state + 1)
            }
        }
        #expect(log == [1, 2, 3, 4, 5, 6, 7])
    }

    @Test("Disposing ends a recursion and releases its action") func disposedRecursion() {
        weak var token: ReleaseToken?
        let virtual = HistoricalScheduler()
        var count = 0
        var recursion: (any Disposable)?
        do {
            let captured = ReleaseToken()
            token = captured
            recursion = virtual.scheduleRecursive(()) { _, recurse in
                withExtendedLifetime(captured) { count += 1 }
                recurse(())
                if count == 5 { recursion?.dispose() }
            }
        }
        #expect(token != nil)
        virtual.start()
        #expect(count == 5)
        #expect(token == nil)
    }
}
