import CPlainPeers
import Dispatch
import Foundation
import RxIOUring
import RxSwift

/// A hand-off to another thread and back, each round trip timed by itself.
extension LatencyRow {
    #if RX_LOOP
        static func handOff(_ extent: Extent) -> [LatencyRow] {
            let samples = extent.of(20_000, quick: 2_000)
            let ours = Side("schedule, spinning", samples: samples) {
                Rally.shared.play($0) { $0.schedule($1) }
            }
            let futex = Side("futex pair", samples: samples) { samples in
                let error = plain_futex_rally(samples.baseAddress, samples.count, Rally.warmUp)
                if error != 0 { fail("futex pair: \(String(cString: strerror(error)))") }
            }
            let semaphores = Side("DispatchSemaphore pair", samples: samples, playWithSemaphores)
            let cacheLine = Side("cache line, two threads", samples: samples) { samples in
                let error = plain_cache_line_rally(samples.baseAddress, samples.count, Rally.warmUp)
                if error != 0 { fail("cache line: \(String(cString: strerror(error)))") }
            }
            var rows = [futex, semaphores].map {
                LatencyRow(
                    .loop, "handOff.schedule", unit: "round trip", ours: ours, peer: $0, baseline: cacheLine, bar: 20)
            }
            #if RX_REUSABLE_JOB
                let reused = Side("reusable job, spinning", samples: samples) {
                    Rally.shared.play($0) { $0.post($1) }
                }
                rows += [futex, semaphores].map {
                    LatencyRow(
                        .loop, "handOff.reusableJob", unit: "round trip", ours: reused, peer: $0, baseline: cacheLine,
                        bar: 20)
                }
            #endif
            return rows
        }

        private static func playWithSemaphores(_ samples: UnsafeMutableBufferPointer<UInt64>) {
            let there = DispatchSemaphore(value: 0)
            let back = DispatchSemaphore(value: 0)
            let roundTrips = Rally.warmUp + samples.count
            Thread.detachNewThread {
                for _ in 0..<roundTrips {
                    there.wait()
                    back.signal()
                }
            }
            for done in 0..<roundTrips {
                let start = plain_now()
                there.signal()
                back.wait()
                let end = plain_now()
                if done >= Rally.warmUp { samples[done - Rally.warmUp] = end - start }
            }
        }
    #else
        static func handOff(_ extent: Extent) -> [LatencyRow] { [] }
    #endif
}

#if RX_LOOP
    /// Two loops that look for work without sleeping, and hand something to each other.
    final class Rally: @unchecked Sendable {
        static let shared = Rally()

        /// Round trips that do not count: the threads have slept since the row before.
        static let warmUp = 200

        enum End { case left, right }

        // Long enough to stay awake during a rally, short enough to leave the processors to the next row.
        private let left = IOUringScheduler(name: "bench.left", spin: .upTo(.milliseconds(20)))
        private let right = IOUringScheduler(name: "bench.right", spin: .upTo(.milliseconds(20)))
        private let done = Completion()
        #if RX_REUSABLE_JOB
            private lazy var toLeft = left.makeJob { [unowned self] in cameBack() }
            private lazy var toRight = right.makeJob { [unowned self] in handOff(self, .left) }
        #endif

        // Between two rallies the caller's, else the left loop's.
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

        #if RX_REUSABLE_JOB
            func post(_ end: End) {
                if end == .left { toLeft.post() } else { toRight.post() }
            }
        #endif

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
