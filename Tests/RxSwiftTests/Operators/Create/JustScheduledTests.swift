// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct JustScheduledTests {
    @Test("Each event takes an action of the scheduler") func actions() {
        let scheduler = StepScheduler()
        let log = EventLog(Observable.just(1, scheduler: scheduler))
        #expect(log.lines == [])
        scheduler.step()
        #expect(log.lines == ["1"])
        scheduler.step()
        #expect(log.lines == ["1", "completed"])
    }

    @Test("Disposal ends the result before and between the actions") func disposal() {
        let scheduler = StepScheduler()
        let before = EventLog(Observable.just(1, scheduler: scheduler))
        before.dispose()
        scheduler.step()
        #expect(before.lines == [])
        let between = EventLog(Observable.just(1, scheduler: scheduler))
        scheduler.step()
        between.dispose()
        scheduler.step()
        #expect(between.lines == ["1"])
    }

    @Test("Both events come on the trampoline") func trampoline() {
        #expect(events(of: Observable.just(1, scheduler: CurrentThreadScheduler.instance)) == ["1", "completed"])
    }
}
