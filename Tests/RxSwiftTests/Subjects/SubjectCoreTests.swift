// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct SubjectCoreTests {
    @Test("A subscription that joins before its turn receives the terminal event once") func terminalEventOnce() {
        let core = SubjectCore<Int>(name: "test")
        let log = EventLog()
        // Sinks that do not cancel their link at the terminal event.
        let lateSubscriber = HandlerSink<Int> { log.note("late subscriber \($0)") }
        let first = HandlerSink<Int> { event in
            log.note("first \(event)")
            guard case .next = event else { return }
            core.end(.completed)
            // As by a thread which saw the subject open just before.
            core.add(SubjectSubscription.make(core: core, downstream: lateSubscriber))
        }
        core.add(SubjectSubscription.make(core: core, downstream: first))
        core.next(1)
        #expect(log.lines.filter { $0 == "first completed" }.count == 1)
        #expect(log.lines.filter { $0 == "late subscriber completed" }.count == 1)
    }
}
