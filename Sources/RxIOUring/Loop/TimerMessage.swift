// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// A message of another thread to the timers of a loop.
enum TimerMessage {
    /// Arms the timer of a user's action.
    case insert(ActionTimer, now: UInt64)
    /// Removes a timer that will not fire.
    case remove(ActionTimer)
    /// Arms a timer for a job that `LoopTimers.willArm` has counted.
    case arm(Job, deadline: UInt64, now: UInt64)
    case disarm(Job)
}
