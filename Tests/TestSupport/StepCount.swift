// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A number of steps for release builds, fewer for debug builds, whose frames are larger and whose code is slow.
package func stepCount(_ release: Int, debug: Int) -> Int {
    #if DEBUG
        debug
    #else
        release
    #endif
}

/// A number of rounds of a race: that of `stepCount`, times the number in the environment variable `RX_STRESS`.
package func stressRounds(_ release: Int, debug: Int) -> Int {
    let factor = ProcessInfo.processInfo.environment["RX_STRESS"].flatMap { Int($0) } ?? 1
    return stepCount(release, debug: debug) * max(1, factor)
}

/// The depth to which recursion through operators is tested. The law is about optimized code, whose frames are a fraction of
/// those of debug builds.
package let recursionDepth = stepCount(5_000, debug: 500)
