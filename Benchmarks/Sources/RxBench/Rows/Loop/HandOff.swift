// SPDX-License-Identifier: Apache-2.0

import CPlainPeers
import Dispatch
import Foundation
import RxIOUring
import RxSwift

/// A hand-off to another thread and back, each round trip timed by itself. Unless a row states otherwise, the two threads stay on
/// processors 0 and 1, so that all sides do the same: switch from one processor to another.
extension LatencyRow {
    #if os(Linux)
        static func handOff(_ extent: Extent) -> [LatencyRow] {
            let samples = extent.of(20_000, quick: 2_000)
            let ours = Side("schedule, spinning", samples: samples) {
                Rally.shared.play($0) { $0.schedule($1) }
            }
            let futex = Side("futex pair", samples: samples) { playWithFutexes(pinned: true, $0) }
            let futexAnywhere = Side("futex pair, not pinned", samples: samples) { playWithFutexes(pinned: false, $0) }
            let semaphores = Side("DispatchSemaphore pair", samples: samples, playWithSemaphores)
            let cacheLine = Side("cache line, two threads", samples: samples) { samples in
                let error = plain_cache_line_rally(samples.baseAddress, samples.count, Rally.warmUp)
                if error != 0 { fail("cache line: \(String(cString: strerror(error)))") }
            }
            func rows(_ name: String, _ ours: Side) -> [LatencyRow] {
                // If the system puts a futex pair on one processor, it switches threads there and wakes no other processor.
                [(futex, 20), (semaphores, 20), (futexAnywhere, nil)].map { peer, bar in
                    LatencyRow(
                        .loop, name, unit: "round trip", ours: ours, peer: peer, baseline: cacheLine, bar: bar)
                }
            }
            var all = rows("handOff.schedule", ours)
            all += rows(
                "handOff.reusableJob",
                Side("reusable job, spinning", samples: samples) {
                    Rally.shared.play($0) { $0.post($1) }
                })
            return all
        }

        private static func playWithFutexes(pinned: Bool, _ samples: UnsafeMutableBufferPointer<UInt64>) {
            let error = plain_futex_rally(pinned, samples.baseAddress, samples.count, Rally.warmUp)
            if error != 0 { fail("futex pair: \(String(cString: strerror(error)))") }
        }

        private static func playWithSemaphores(_ samples: UnsafeMutableBufferPointer<UInt64>) {
            let there = DispatchSemaphore(value: 0)
            let back = DispatchSemaphore(value: 0)
            let done = Completion()
            let roundTrips = Rally.warmUp + samples.count
            Thread.detachNewThread {
                plain_pin(1)
                for _ in 0..<roundTrips {
                    there.wait()
                    back.signal()
                }
            }
            // Only that thread uses the buffer, until it is done.
            nonisolated(unsafe) let samples = samples
            Thread.detachNewThread {
                plain_pin(0)
                for played in 0..<roundTrips {
                    let start = plain_now()
                    there.signal()
                    back.wait()
                    let end = plain_now()
                    if played >= Rally.warmUp { samples[played - Rally.warmUp] = end - start }
                }
                done.signal()
            }
            done.wait("DispatchSemaphore pair")
        }
    #else
        static func handOff(_ extent: Extent) -> [LatencyRow] { [] }
    #endif
}

#if os(Linux)
    /// Two loops that poll for work without sleeping, and submit jobs to each other.
    final class Rally: @unchecked Sendable {
        static let shared = Rally()

        /// The number of round trips that do not count: the threads have slept since the row before.
        static let warmUp = 200

        enum End { case left, right }

        // The spin is long enough to stay awake during a rally, short enough to leave the processors to the next row.
        private let left = IOUringScheduler(name: "bench.left", spin: .upTo(.milliseconds(20)), processor: 0)
        private let right = IOUringScheduler(name: "bench.right", spin: .upTo(.milliseconds(20)), processor: 1)
        private let done = Completion()
        private lazy var toLeft = left.makeJob { [unowned self] in cameBack() }
        private lazy var toRight = right.makeJob { [unowned self] in handOff(self, .left) }

        // Owned by the caller between two rallies, and by the left loop during a rally.
        private var samples = UnsafeMutableBufferPointer<UInt64>(start: nil, count: 0)
        private var played = 0
        private var start: UInt64 = 0
        private var handOff: (Rally, End) -> Void = { _, _ in }

        /// - Parameter handOff: has `arrived` called on the loop of that end.
        func play(_ samples: UnsafeMutableBufferPointer<UInt64>, _ handOff: @escaping (Rally, End) -> Void) {
            self.samples = samples
            self.handOff = handOff
            played = 0
            _ = left.schedule(self) {
                $0.serve()
                return Disposables.create()
            }
            done.wait("rally of two loops")
        }

        func schedule(_ end: End) {
            switch end {
            case .left:
                _ = left.schedule(self) {
                    $0.cameBack()
                    return Disposables.create()
                }
            case .right:
                _ = right.schedule(self) {
                    $0.handOff($0, .left)
                    return Disposables.create()
                }
            }
        }

        func post(_ end: End) {
            if end == .left { toLeft.post() } else { toRight.post() }
        }

        private func serve() {
            start = plain_now()
            handOff(self, .right)
        }

        private func cameBack() {
            let end = plain_now()
            if played >= Rally.warmUp { samples[played - Rally.warmUp] = end - start }
            played += 1
            if played < Rally.warmUp + samples.count { serve() } else { done.signal() }
        }
    }
#endif
