// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct LoopTimersTests {
    /// The race: threads dispose of timers while another one ends their loop and releases it. AddressSanitizer sees the loop that is used
    /// after its release.
    @Test("Timers are disposed of while their loop ends and is released", arguments: Backend.built, [false, true])
    func disposeWhileReleased(_ backend: Backend, shutsDown: Bool) {
        for round in 0..<stepCount(2_000, debug: 300) {
            nonisolated(unsafe) var scheduler: IOUringScheduler? = IOUringScheduler(backend: backend)
            let timers = (0..<64).map { _ in
                scheduler!.scheduleRelative((), dueTime: .seconds(1_000)) { Disposables.create() }
            }
            race(
                { for timer in timers[..<32] { timer.dispose() } },
                { for timer in timers[32...] { timer.dispose() } },
                {
                    jitter(round)
                    if shutsDown { scheduler?.shutdown() }
                    scheduler = nil
                })
        }
    }
}
