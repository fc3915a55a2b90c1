// SPDX-License-Identifier: Apache-2.0

import Alerting
import RxSwift
import RxTest
import Testing

struct BackoffTests {
    private let backoff = Backoff(first: .seconds(1), longest: .seconds(5), attempts: 5)

    @Test("Pauses double up to the longest, and the last attempt has none") func pauses() {
        let pauses = (0..<5).map(backoff.pause(behind:))
        #expect(pauses == [.seconds(1), .seconds(2), .seconds(4), .seconds(5), nil])
        #expect(Backoff(first: .seconds(1), longest: .seconds(9), attempts: .max).pause(behind: 100) == .seconds(9))
    }

    @Test("An attempt follows a failure after the pause, until one succeeds") func success() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .error(201, RxError.unknown), .error(203, RxError.unknown), .next(206, "a"),
        ])
        let result = scheduler.start { [backoff] in source.retry(backoff, scheduler: scheduler) }
        #expect(try result.events.marbles(start: 200) == "------a")
        #expect(source.subscriptions.map(\.subscribe) == [200, 202, 205])
    }

    @Test("The error of the last attempt ends the result") func failure() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let source = try scheduler.createColdObservable(marbles: "#")
        let result = scheduler.start { [backoff] in source.retry(backoff, scheduler: scheduler) }
        #expect(source.subscriptions.map(\.subscribe) == [200, 201, 203, 207, 212])
        #expect(try result.events.marbles(start: 200) == "------------#")
    }
}
