// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift
import Testing

@Suite struct TurnBudgetTests {
    @Test("Slices begin small, grow, and add up to the steps of a turn") func slices() {
        let turn = TurnBudget(steps: 50, nanoseconds: 60_000_000_000)
        for _ in 0..<2 {
            turn.begin()
            var slices: [Int] = []
            while case let slice = turn.nextSlice(), slice > 0 { slices.append(slice) }
            #expect(slices == [3, 6, 12, 16, 13])
        }
    }

    @Test("A turn that has taken too long gets no further slice") func time() {
        let turn = TurnBudget(steps: 1_000, nanoseconds: 1_000_000)
        turn.begin()
        #expect(turn.nextSlice() == 3)
        let start = MonotonicClock.now()
        while MonotonicClock.now() - start < 3_000_000 {}
        #expect(turn.nextSlice() == 0)
        turn.begin()
        #expect(turn.nextSlice() == 3)
    }

    @Test("A stopped loop gets no slice") func stopped() {
        let turn = TurnBudget(steps: 1_000, nanoseconds: 60_000_000_000)
        turn.begin()
        turn.isStopped = true
        #expect(turn.nextSlice() == 0)
    }
}
