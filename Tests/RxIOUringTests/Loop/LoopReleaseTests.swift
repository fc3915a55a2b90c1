// SPDX-License-Identifier: Apache-2.0

import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct LoopReleaseTests {
    #if TRACE_RESOURCES
        @Test("A loop whose timers have fired leaves no object", arguments: Backend.built)
        func firedTimers(_ backend: Backend) async {
            await quiet { Int(Resources.total) }
            let before = Resources.total
            do {
                let scheduler = IOUringScheduler(backend: backend)
                let fired = OneShot()
                _ = scheduler.scheduleRelative((), dueTime: .milliseconds(1)) {
                    fired.fire()
                    return Disposables.create()
                }
                #expect(fired.wait())
                scheduler.shutdown()
            }
            #expect(await eventually { Resources.total <= before }, "\(Resources.census())")
        }
    #endif
}
