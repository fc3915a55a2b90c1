// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct DelayTests {
    @Test("Elements and completion come later by the span", arguments: [42, 50, 100, 150])
    func span(span: Int) {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(script((150, 1), (250, 2), (350, 3), (450, 4)) + [.completed(550)])
        let result = scheduler.start { source.delay(.seconds(span), scheduler: scheduler) }
        #expect(
            result.events == [
                .next(250 + span, 2), .next(350 + span, 3), .next(450 + span, 4), .completed(550 + span),
            ])
        #expect(source.subscriptions == [Subscription(200, 550)])
    }

    @Test("Events of one tick come a tick apart") func sameTick() throws {
        try expectMarbles(
            source: "^---------(123|)",
            result: "^-------------------123|",
            ticks: 1
        ) { $0.delay(.seconds(10), scheduler: $1) }
    }

    @Test("An error comes at once and drops the waiting elements") func error() throws {
        try expectMarbles(
            source: "1^2-3-4-#",
            result: " ^---2-3#",
            active: " ^------!",
            ticks: 50
        ) { $0.delay(.seconds(150), scheduler: $1) }
    }

    @Test("Completion of an empty source comes later by the span") func empty() throws {
        try expectMarbles(
            source: "1^|",
            result: " ^---|",
            active: " ^!",
            ticks: 50
        ) { $0.delay(.seconds(150), scheduler: $1) }
    }
}
