// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import Testing

@Suite struct ProcessorCounterTests {
    @Test("A span in ticks is about as long as in nanoseconds") func rate() {
        let limit = ProcessorCounter.ticks(nanoseconds: 2_000_000)
        // The thread may be preempted between two looks; then the next attempt tells.
        let isClose = (0..<50).contains { _ in
            let (start, time) = (ProcessorCounter.now(), MonotonicClock.now())
            while ProcessorCounter.now() &- start < limit {}
            let elapsed = MonotonicClock.now() - time
            return elapsed > 1_400_000 && elapsed < 3_000_000
        }
        #expect(isClose)
    }

    /// The fault: a preemption between the first looks at the two clocks made a tick as long as the preemption, for the whole process.
    @Test("A preemption at any point leaves the rate as it is") func preemption() {
        for preempted in 0..<3_000 {
            var (time, looks) = (UInt64(1_000_000), 0)
            func look() -> UInt64 {
                looks += 1
                time += looks == preempted ? 5_000_000 : 25
                return time
            }
            let rate = ProcessorCounter.rate(ticks: { look() * 3 }, nanoseconds: look)
            #expect((3_000...3_150).contains(rate), "preempted at look \(preempted)")
        }
    }

    @Test("Nanoseconds that were turned into ticks come back", arguments: [1_000, 1_000_000, 1 << 50] as [UInt64])
    func conversion(_ nanoseconds: UInt64) {
        let back = ProcessorCounter.nanoseconds(ticks: ProcessorCounter.ticks(nanoseconds: nanoseconds))
        #expect(back >= nanoseconds * 999 / 1_000 - 1 && back <= nanoseconds * 1_001 / 1_000 + 1)
    }
}
