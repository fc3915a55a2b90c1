// SPDX-License-Identifier: Apache-2.0

import CSimulator
import Glibc
import RxPrimitives

/// Threads and time of a simulation.
enum Simulated {
    /// Waits for a condition, in virtual time. Returns whether it holds.
    @discardableResult
    static func wait(seconds: Double, _ condition: () -> Bool) -> Bool {
        let end = rx_sim_now() + UInt64(seconds * 1e9)
        var turns = 0
        while !condition() {
            if rx_sim_now() > end { return false }
            rx_sim_sleep(500_000)
            turns += 1
            // The kernel's TCP has timers in real time: one that found no room at the other end asks again after 200 ms.
            if turns > 2_000 { usleep(50) }
        }
        return true
    }

    /// Runs each lane, of which there is one at least, on a thread of its own, the first one on the calling thread, and waits until all have ended.
    static func run(lanes: Int, _ body: @escaping (_ lane: Int) -> Void) {
        let group = Parker()
        let others = lanes - 1
        let finished = AtomicWord(0)
        for lane in 1..<lanes {
            startThread {
                body(lane)
                if finished.fetchAdd(1) + 1 == others { group.unpark() }
            }
        }
        body(0)
        if others > 0 { group.park(until: .max) }
    }

    private static func startThread(_ body: @escaping () -> Void) {
        let box = Unmanaged.passRetained(ThreadBody(body))
        let status = rx_sim_start(
            { argument in
                Unmanaged<ThreadBody>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, box.toOpaque(), false)
        if status != 0 { fatalError("no thread") }
    }

    private final class ThreadBody {
        let run: () -> Void

        init(_ run: @escaping () -> Void) { self.run = run }
    }
}
