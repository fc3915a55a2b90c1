// SPDX-License-Identifier: Apache-2.0

import CMallocCount
import Dispatch

/// Counts allocations of a workload, apart from the timed rounds.
enum Mallocs {
    /// Proves that the interposed allocator sees what Swift allocates; a counter that always reads 0 would pass every row.
    static func checkCanary() {
        guard malloc_count_available() else {
            Progress.warn("mallocs cannot be counted on this platform")
            return
        }
        let objects = 1_000
        let counted = count { keep((0..<objects).map { _ in Sum() }) }
        guard counted >= objects else {
            fail("the malloc counter is broken: \(objects) objects made, \(counted) allocations counted")
        }
        let idle = count {}
        guard idle < objects / 10 else {
            fail("the malloc counter is broken: \(idle) allocations counted while nothing was done")
        }
    }

    /// Returns allocations per event in steady state: those of `2 * events` less those of `events`, so that set-up falls out.
    /// The median of three, as the system's threads allocate too; one sample where a call is long enough to drown that.
    static func perEvent(_ row: Row) -> Double? {
        guard malloc_count_available() else { return nil }
        let workload = row.mallocs ?? row.ours
        let start = DispatchTime.now().uptimeNanoseconds
        _ = workload(row.events)
        let isLong = DispatchTime.now().uptimeNanoseconds - start > 100_000_000
        if !isLong {
            _ = workload(2 * row.events)
        }
        let samples = (0..<(isLong ? 1 : 3)).map { _ in
            let once = count { _ = workload(row.events) }
            let twice = count { _ = workload(2 * row.events) }
            return Double(twice - once) / Double(row.events)
        }
        return max(0, median(samples))
    }

    private static func count(_ body: () -> Void) -> Int {
        malloc_count_start()
        body()
        return Int(malloc_count_stop())
    }

    @inline(never)
    private static func keep(_ objects: [Sum]) {
        withExtendedLifetime(objects) {}
    }
}
