// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct FromOptionalTests {
    @Test("A value is sent and nil is not") func value() {
        #expect(events(of: Observable.from(optional: 1)) == ["1", "completed"])
        #expect(events(of: Observable<Int>.from(optional: nil)) == ["completed"])
    }

    @Test("Each event takes an action of the scheduler") func actions() {
        let scheduler = StepScheduler()
        let some = EventLog(Observable.from(optional: 1, scheduler: scheduler))
        let none = EventLog(Observable<Int>.from(optional: nil, scheduler: scheduler))
        #expect(some.lines == [] && none.lines == [])
        scheduler.step()
        scheduler.step()
        #expect(some.lines == ["1"] && none.lines == ["completed"])
        scheduler.step()
        #expect(some.lines == ["1", "completed"])
        #expect(scheduler.actions.isEmpty)
    }
}
