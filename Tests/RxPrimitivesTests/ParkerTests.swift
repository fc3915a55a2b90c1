// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import Testing

@Suite struct ParkerTests {
    @Test("A wake-up that comes first ends the next park") func earlyWakeUp() {
        let parker = Parker()
        parker.unpark()
        parker.unpark()
        parker.park(until: .max)
        // Two came, and count as one.
        let begin = MonotonicClock.now()
        parker.park(until: begin + 2_000_000)
        #expect(MonotonicClock.now() - begin >= 2_000_000)
    }

    @Test("A deadline that has passed ends the wait at once", arguments: [0, 1]) func passedDeadline(deadline: UInt64) {
        Parker().park(until: deadline)
    }

    @Test("No wake-up is lost") func noLostWakeUp() {
        let parkers = (Parker(), Parker())
        onThreads(2) { index in
            for _ in 0..<20_000 {
                if index == 0 {
                    parkers.1.unpark()
                    parkers.0.park(until: .max)
                } else {
                    parkers.1.park(until: .max)
                    parkers.0.unpark()
                }
            }
        }
    }
}
