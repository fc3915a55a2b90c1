// SPDX-License-Identifier: Apache-2.0

import RxIOUring

extension IOUringScheduler {
    /// Tells of a timer that was so late that the loop must have slept beyond its time.
    ///
    /// What a program does on a loop, and what a simulation makes it wait for, takes a tenth of a second at most. A loop without timers sleeps for
    /// ten seconds until it trims its pools.
    var timerFault: String? {
        let milliseconds = metrics.greatestTimerLateness / 1_000_000
        return milliseconds > 1_000 ? "a timer fired \(milliseconds) ms late" : nil
    }
}
