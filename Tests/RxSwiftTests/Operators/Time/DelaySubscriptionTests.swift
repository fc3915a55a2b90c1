// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct DelaySubscriptionTests {
    @Test("The subscription to the source begins after the span") func begin() throws {
        try expectMarbles(
            source: "   ^----12|",
            result: "^-------12|",
            active: "   ^------!",
            isCold: true
        ) { $0.delaySubscription(.seconds(30), scheduler: $1) }
    }

    @Test("An error of the source comes through") func error() throws {
        try expectMarbles(
            source: "   ^----12#",
            result: "^-------12#",
            active: "   ^------!",
            isCold: true
        ) { $0.delaySubscription(.seconds(30), scheduler: $1) }
    }

    @Test("Disposal ends the subscription to the source") func lateDisposal() {
        let scheduler = ticks()
        let source = scheduler.createColdObservable(script((50, 42), (60, 43)) + [.completed(70)])
        let result = scheduler.start(disposed: 291) { source.delaySubscription(.seconds(30), scheduler: scheduler) }
        #expect(result.events == [.next(280, 42), .next(290, 43)])
        #expect(source.subscriptions == [Subscription(230, 291)])
    }

    @Test("Disposal before the span ends keeps the source unsubscribed") func earlyDisposal() throws {
        try expectMarbles(
            source: "   ^----1",
            result: "^",
            active: "",
            isCold: true, disposed: 220
        ) { $0.delaySubscription(.seconds(30), scheduler: $1) }
    }

    @Test("The operator below cancels a source that the timer is subscribing to") func cancelled() {
        let log = EventLog()
        let scheduler = HistoricalScheduler()
        let source = Observable<Int>.of().startWith(3).do(onCompleted: { log.note("source completed") })
        let shared = source.multicast(PublishSubject<Int>()).refCount()
        for _ in 0..<2 { _ = log.observe(shared.delaySubscription(.seconds(1), scheduler: scheduler).take(1)) }
        scheduler.start()
        #expect(log.text == "3 completed 3 completed")
    }
}
