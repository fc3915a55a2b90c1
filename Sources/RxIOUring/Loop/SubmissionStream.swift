// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// Detects a stream of submissions to a loop, in which it pays to wait for more. Used only on the loop thread.
struct SubmissionStream {
    /// True if a stream of work came since the loop slept, so that more is likely to come soon.
    var isLikely = false
    /// The number of ticks in which the loop still takes pending work without spinning, because spinning brought little.
    private var hastyTicks = 0
    /// That number for the next time that spinning brings little.
    private var nextHastyTicks = SubmissionStream.minHastyTicks
    private static let minHastyTicks = 8
    private static let maxHastyTicks = 1_024

    /// True if spinning is likely to bring more work at once.
    var spinPays: Bool { hastyTicks == 0 }

    /// Notes the number of steps that a tick took.
    mutating func note(stepsOfTick steps: Int) {
        if steps > RunQueue.streamThreshold {
            isLikely = true
            nextHastyTicks = SubmissionStream.minHastyTicks
        } else if hastyTicks > 0 {
            hastyTicks -= 1
        } else if isLikely, steps < RunQueue.minGain {
            hastyTicks = nextHastyTicks
            nextHastyTicks = min(2 * nextHastyTicks, SubmissionStream.maxHastyTicks)
        }
    }
}
