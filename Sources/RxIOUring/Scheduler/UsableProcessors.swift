// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// The processors that threads which the caller starts may use.
package enum UsableProcessors {
    /// Their numbers, ascending; at least one.
    package static func numbers() -> [Int] {
        var room: CInt = 1_024
        while true {
            let numbers = withUnsafeTemporaryAllocation(of: CInt.self, capacity: Int(room)) { buffer -> [Int]? in
                let count = rx_thread_processors(buffer.baseAddress!, room)
                // Without an answer, as where the call is forbidden: the processors that are online.
                if count <= 0 { return Array(0..<max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
                if count <= room { return buffer[..<Int(count)].map { Int($0) } }
                room = count
                return nil
            }
            if let numbers { return numbers }
        }
    }

    /// The number of threads that processors can serve, at least 1. A part of a processor counts as one.
    ///
    /// - Parameter quota: the number of processors that the system grants; nil if it sets no limit.
    package static func count(of processors: [Int], quota: Double?) -> Int {
        guard let quota, quota < Double(processors.count) else { return processors.count }
        return max(1, Int(quota.rounded(.up)))
    }
}
