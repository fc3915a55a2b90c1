import RxPrimitives
import Testing

@Suite struct ParkerTests {
    @Test func aWakeUpThatComesFirstEndsTheNextPark() {
        let parker = Parker()
        parker.unpark()
        parker.unpark()
        parker.park(until: .max)
        // Two came, and count as one.
        let begin = MonotonicClock.now()
        parker.park(until: begin + 2_000_000)
        #expect(MonotonicClock.now() - begin >= 2_000_000)
    }

    @Test(arguments: [0, 1]) func aDeadlineThatHasPassedEndsTheWaitAtOnce(deadline: UInt64) {
        Parker().park(until: deadline)
    }

    @Test func noWakeUpIsLost() {
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
