// SPDX-License-Identifier: Apache-2.0

import RxSwift
import Testing

@Suite struct ConcurrencyLimitTests {
    @Test("Waiting sequences start in order as places become free") func order() {
        var limit = ConcurrencyLimit<Int>(limit: 2)
        #expect(limit.hasRoom)
        let firstStart = (1...2).map { limit.admit($0) }
        #expect(firstStart == [true, true])
        #expect(!limit.hasRoom)
        let laterStart = (3...200).map { limit.admit($0) }
        #expect(!laterStart.contains(true))
        let started = (3...200).compactMap { _ -> Int? in
            guard case .start(let number) = limit.innerEnded() else { return nil }
            return number
        }
        #expect(started == Array(3...200))
        guard case .idle = limit.innerEnded() else { return #expect(Bool(false)) }
        let ends = limit.outerEnded()
        #expect(!ends)
        guard case .complete = limit.innerEnded() else { return #expect(Bool(false)) }
    }

    @Test("The outer completion ends the result while no inner sequence runs") func outerEnd() {
        var limit = ConcurrencyLimit<Int>(limit: 0)
        let runs = limit.admit(1)
        let ends = limit.outerEnded()
        #expect(!runs && ends)
        let waiting = limit.takeWaiting()
        #expect(waiting == [1])
    }
}
