// SPDX-License-Identifier: Apache-2.0

import CPlainPeers
import NIOCore
import NIOPosix
import RxIOUring
import RxSwift

/// Timers of an event loop that are armed and disposed of in the loop, before they are due.
extension Row {
    #if os(Linux)
        static func loopTimers(_ extent: Extent) -> [Row] {
            [
                Row(
                    .loop, "timer.loop.arm.dispose", vs: "NIO scheduleTask, cancel", bar: 4, mallocLimit: nil,
                    unit: "timer", events: 20_000, expected: { $0 }, ours: armAndDispose,
                    peer: { scheduleAndCancel($0) { $0.scheduleTask(in: .hours(1), $1).cancel() } }),
                outstanding(
                    "timer.loop.outstanding.disposeInAnyOrder", extent, bar: 50, order: { $0 * 611_953 % $1 }),
                outstanding(
                    "timer.loop.outstanding.disposeEarliestFirst", extent, bar: nil, order: { place, _ in place }),
            ]
        }

        /// Arms many timers, each due after the one before, and disposes of all of them then.
        ///
        /// NIO searches its heap for a timer that is cancelled, so its cost depends on the order: it finds the timer that is due first
        /// at once, and searches for any other one in time proportional to the number of timers.
        private static func outstanding(
            _ name: String, _ extent: Extent, bar: Double?, order: @escaping (_ place: Int, _ timers: Int) -> Int
        ) -> Row {
            Row(
                .loop, name, vs: "NIO scheduleTask, cancel", bar: bar, mallocLimit: nil, unit: "timer",
                events: extent.of(50_000, quick: 5_000), expected: { $0 },
                ours: { armThenDispose($0, order) }, peer: { scheduleThenCancel($0, order) })
        }

        /// Returns the number of timers that were armed and did not fire.
        private static func armAndDispose(_ timers: Int) -> Int {
            let fired = Sum()
            Loops.onOurs("timers in loop") { scheduler in
                for _ in 0..<timers {
                    scheduler.scheduleRelative(fired, dueTime: .seconds(3_600)) { fired in
                        fired.value += 1
                        return Disposables.create()
                    }.dispose()
                }
            }
            return timers - fired.value
        }

        private static func scheduleAndCancel(
            _ timers: Int, _ arm: @escaping (any EventLoop, @escaping @Sendable () -> Void) -> Void
        ) -> Int {
            let fired = Sum()
            Loops.onNIO("timers in NIO's loop") { loop in
                for _ in 0..<timers {
                    arm(loop) { fired.value += 1 }
                }
            }
            return timers - fired.value
        }

        private static func armThenDispose(_ timers: Int, _ order: @escaping (Int, Int) -> Int) -> Int {
            let fired = Sum()
            Loops.onOurs("timers in loop") { scheduler in
                let armed = (0..<timers).map { place in
                    scheduler.scheduleRelative(fired, dueTime: .milliseconds(3_600_000 + place)) { fired in
                        fired.value += 1
                        return Disposables.create()
                    }
                }
                for place in 0..<timers { armed[order(place, timers)].dispose() }
            }
            return timers - fired.value
        }

        private static func scheduleThenCancel(_ timers: Int, _ order: @escaping (Int, Int) -> Int) -> Int {
            let fired = Sum()
            Loops.onNIO("timers in NIO's loop") { loop in
                let armed = (0..<timers).map { place in
                    loop.scheduleTask(in: .milliseconds(3_600_000 + Int64(place))) { fired.value += 1 }
                }
                for place in 0..<timers { armed[order(place, timers)].cancel() }
            }
            return timers - fired.value
        }
    #else
        static func loopTimers(_ extent: Extent) -> [Row] { [] }
    #endif
}

/// The lateness of timers while many wait.
extension LatencyRow {
    #if os(Linux)
        static func timerLateness(_ extent: Extent) -> [LatencyRow] {
            let plan = { (timers: Int) in
                TimerPlan(timers: timers, span: extent.of(10_000_000_000, quick: 500_000_000))
            }
            let ours = plan(extent.of(1_000_000, quick: 50_000))
            let peer = plan(extent.of(100_000, quick: 5_000))
            return [
                LatencyRow(
                    .loop, "timer.loop.lateness", unit: "timer",
                    ours: Side("scheduleRelative, \(ours.timers / 1_000)k", samples: ours.timers) { samples in
                        TimerRun(ours, into: samples).onOurs()
                    },
                    peer: Side("NIO scheduleTask, \(peer.timers / 1_000)k", samples: peer.timers) { samples in
                        TimerRun(peer, into: samples).onNIO()
                    },
                    comparing: 99, bar: 1, rounds: 1)
            ]
        }
    #else
        static func timerLateness(_ extent: Extent) -> [LatencyRow] { [] }
    #endif
}

/// The cost of a waiting timer, without the caller's closure.
extension Figure {
    #if os(Linux)
        static func timerMemory(_ extent: Extent) -> [Figure] {
            let timers = extent.of(1_000_000, quick: 100_000)
            return [
                Figure(
                    area: .loop, name: "timer.loop.memory", unit: "bytes per outstanding timer of \(timers)",
                    limit: 100,
                    ours: { bytesOfOurs(timers) }, peerName: "NIO scheduleTask", peer: { bytesOfNIO(timers) })
            ]
        }

        private static func bytesOfOurs(_ timers: Int) -> Double {
            var bytes = 0.0
            Loops.onOurs("memory of timers") { scheduler in
                let fired = Sum()
                var armed: [any Disposable] = []
                armed.reserveCapacity(timers)
                bytes = bytesPer(timers) { place in
                    armed.append(
                        // The closure captures nothing, so it takes no memory.
                        scheduler.scheduleRelative(fired, dueTime: .milliseconds(3_600_000 + place)) { fired in
                            fired.value += 1
                            return Disposables.create()
                        })
                }
                for timer in armed { timer.dispose() }
            }
            return bytes
        }

        private static func bytesOfNIO(_ timers: Int) -> Double {
            // This measurement has a group of its own: when the group ends, it drops its timers faster than it cancels them one by one.
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let loop = group.next()
            let fired = Sum()
            let action: @Sendable () -> Void = { fired.value += 1 }
            let bytes = try? loop.submit {
                var armed: [Scheduled<Void>] = []
                armed.reserveCapacity(timers)
                return bytesPer(timers) { place in
                    armed.append(loop.scheduleTask(in: .milliseconds(3_600_000 + Int64(place)), action))
                }
            }.wait()
            try? group.syncShutdownGracefully()
            return bytes ?? .nan
        }

        private static func bytesPer(_ timers: Int, _ arm: (Int) -> Void) -> Double {
            let before = plain_allocated_bytes()
            for place in 0..<timers { arm(place) }
            return Double(plain_allocated_bytes() - before) / Double(timers)
        }
    #else
        static func timerMemory(_ extent: Extent) -> [Figure] { [] }
    #endif
}
