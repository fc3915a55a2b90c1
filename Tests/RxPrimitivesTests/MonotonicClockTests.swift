// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import Testing

@Suite struct MonotonicClockTests {
    @Test("A deadline saturates, and a negative distance counts as none") func deadline() {
        #expect(MonotonicClock.deadline(after: .max, from: .max - 1) == .max)
        #expect(MonotonicClock.deadline(after: -1, from: 7) == 7)
        #expect(MonotonicClock.deadline(after: 3, from: 7) == 10)
    }

    @Test("The clock never goes back") func clockOrder() {
        var last = MonotonicClock.now()
        for _ in 0..<1000 {
            let now = MonotonicClock.now()
            #expect(now >= last)
            last = now
        }
    }
}
