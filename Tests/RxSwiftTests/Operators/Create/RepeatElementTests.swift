// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct RepeatElementTests {
    @Test("The element comes as often as it is taken", arguments: [0, 1, 3]) func count(count: Int) {
        let expected = Array(repeating: "7", count: count) + ["completed"]
        #expect(events(of: Observable.repeatElement(7).take(count)) == expected)
    }

    @Test("Each element takes a step of the scheduler until the disposal") func steps() throws {
        try expectMarbles(result: "^7777", ticks: 1, disposed: 205) { .repeatElement(7, scheduler: $0) }
        try expectMarbles(result: "^77(7|)", ticks: 1) { .repeatElement(7, scheduler: $0).take(3) }
    }

    @Test("Two endless sequences on the trampoline alternate") func alternation() {
        let both = Observable.merge(.repeatElement(1), .repeatElement(2))
        #expect(events(of: both.take(5)) == ["1", "2", "1", "2", "1", "completed"])
    }

    @Test("The element is one object, which the end releases") func release() {
        weak var token: ReleaseToken?
        var isSame = true
        do {
            let strong = ReleaseToken(7)
            token = strong
            _ = Observable.repeatElement(strong).take(3).subscribe(onNext: { isSame = isSame && $0 === strong })
        }
        #expect(isSame)
        #expect(token == nil)
    }

    @Test("Disposal inside a step leaves no step on the scheduler") func disposal() {
        let scheduler = StepScheduler()
        let log = EventLog { dispose in
            Observable.repeatElement(7, scheduler: scheduler).do(afterNext: { _ in dispose() })
        }
        scheduler.step()
        scheduler.step()
        #expect(log.lines == ["7"])
        #expect(scheduler.actions.isEmpty)
    }
}
