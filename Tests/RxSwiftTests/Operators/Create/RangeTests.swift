// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct RangeTests {
    @Test("The integers are consecutive") func integers() {
        #expect(events(of: Observable.range(start: -1, count: 3)) == ["-1", "0", "1", "completed"])
    }

    @Test("A count of zero completes at any start", arguments: [Int.min, 0, Int.max]) func noIntegers(start: Int) {
        #expect(events(of: Observable.range(start: start, count: 0)) == ["completed"])
    }

    @Test("The last integer may be the greatest of its type") func greatest() {
        #expect(
            events(of: Observable.range(start: Int.max - 1, count: 2)) == ["\(Int.max - 1)", "\(Int.max)", "completed"])
        #expect(events(of: Observable<UInt>.range(start: .max, count: 1)) == ["\(UInt.max)", "completed"])
        #expect(events(of: Observable<UInt8>.range(start: 1, count: 255)) == (1...255).map { "\($0)" } + ["completed"])
    }

    @Test("The count may be the greatest integer of its type") func greatestCount() {
        #expect(events(of: Observable.range(start: Int.min, count: .max).take(1)) == ["\(Int.min)", "completed"])
        #expect(events(of: Observable<UInt64>.range(start: 0, count: .max).take(2)) == ["0", "1", "completed"])
        #expect(
            events(of: Observable<Int8>.range(start: .min, count: .max)) == (-128 ... -2).map { "\($0)" } + [
                "completed"
            ])
    }

    @Test("Each event takes a step of the scheduler") func steps() throws {
        try expectMarbles(result: "^456|", ticks: 1) { .range(start: 4, count: 3, scheduler: $0) }
        try expectMarbles(result: "^45", ticks: 1, disposed: 203) { .range(start: 4, count: 3, scheduler: $0) }
    }

    @Test("Each subscription counts by itself") func subscriptions() {
        let source = Observable.range(start: 1, count: 2)
        let result = source.concatMap { outer in source.map { outer * 10 + $0 } }
        #expect(events(of: result) == ["11", "12", "21", "22", "completed"])
    }

    @Test("A negative count stops the program and is named") func negativeCount() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable<Int>.range(start: 5, count: -3)
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("range: count must not be negative, is -3"))
    }

    @Test("A count that leads beyond the integer type stops the program") func overflow() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable<Int>.range(start: .max, count: 2)
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("range: start \(Int.max) and count 2 lead beyond Int"))
        await #expect(processExitsWith: .failure) { _ = Observable<UInt8>.range(start: 2, count: 255) }
        await #expect(processExitsWith: .failure) { _ = Observable<UInt64>.range(start: 2, count: .max) }
    }
}
