// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct TimerTests {
    @Test("A timer sends one number") func once() throws {
        try expectMarbles(result: "^---------(0|)") { Observable<Int>.timer(.seconds(100), scheduler: $0) }
    }

    @Test("A timer with a period sends its first number after the due time") func period() throws {
        try expectMarbles(result: "^0-----1-----2", ticks: 50) {
            Observable<Int>.timer(.seconds(50), period: .seconds(300), scheduler: $0)
        }
    }

    @Test("An interval counts") func interval() throws {
        try expectMarbles(result: "^-0-1-2-3-4-5-6", ticks: 50) {
            Observable<Int64>.interval(.seconds(100), scheduler: $0)
        }
    }

    @Test("An interval of zero sends a number at each tick") func zeroInterval() throws {
        try expectMarbles(
            result: "^012345678", ticks: 1, disposed: 210
        ) { Observable<Int64>.interval(.seconds(0), scheduler: $0) }
    }

    @Test("An interval disposed of before its first number is silent") func earlyDisposal() throws {
        try expectMarbles(result: "^") { Observable<Int64>.interval(.seconds(1000), scheduler: $0) }
    }

    @Test("A fixed rate does not drift, and skips runs that a late one displaces") func fixedRate() {
        var pace = FixedRateSchedule(period: 10, due: 100)
        // At 157 the run due at 130 comes at once; those of 140 to 150 are skipped.
        let delays = [pace.next(at: 103), pace.next(at: 111), pace.next(at: 157), pace.next(at: 158)]
        #expect(delays == [7, 9, 0, 2])
    }

    /// The fault: the periods were counted from the beginning.
    @Test(
        "A first run that is due in the past comes at once, and the next ones at their times",
        arguments: [(-4, 6), (-10, 10), (-11, 9), (-25, 5), (0, 10), (3, 13), (Int.min, 2), (Int.min + 1, 3)]
            as [(Int, Int64)])
    func pastStart(_ start: Int, _ second: Int64) {
        var pace = FixedRateSchedule(period: .nanoseconds(10), startAfter: .nanoseconds(start), now: 100)
        #expect(pace.next(at: 100) == second)
        var far = FixedRateSchedule(period: .never, startAfter: .seconds(start), now: 100)
        #expect(far.next(at: 100) > 0)
    }

    @Test("An infinite period does not overflow") func infinitePeriod() {
        var pace = FixedRateSchedule(period: .max, due: 100)
        let delays = [pace.next(at: 100), pace.next(at: 200)]
        #expect(delays == [.max - 100, .max - 200])
    }
}
