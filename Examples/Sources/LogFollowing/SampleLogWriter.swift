// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogLines
public import RxIOUring
public import RxSwift

/// Writes a sample log, so that there is something to follow.
public struct SampleLogWriter: Sendable {
    private let path: String
    private let mode: File.WriteMode
    private let rate: Int
    private let swing: Double
    private let scheduler: IOUringScheduler

    /// - Parameters:
    ///   - rate: the mean rate in lines per second.
    ///   - swing: the part of `rate` by which the rate rises and falls, 0...1.
    public init(
        path: String, mode: File.WriteMode = .append, rate: Int, swing: Double = 0, scheduler: IOUringScheduler
    ) {
        self.path = path
        self.mode = mode
        self.rate = rate
        self.swing = swing
        self.scheduler = scheduler
    }

    /// Emits the number of bytes written, after `stop` has emitted.
    public func write(until stop: Observable<Void>) -> Single<Int> {
        let start = ContinuousClock.now
        let chunks = Observable<Int>.interval(.milliseconds(10), scheduler: scheduler)
            .take(until: stop)
            // Goes by the clock, not by the number of ticks: when the loop is late, some are left out.
            .map { _ in linesDue(after: (ContinuousClock.now - start) / .seconds(1)) }
            .scan(into: Batch()) { batch, due in batch.fill(upTo: due) }
            .map { ByteChunk($0.text) }
        return File.write(chunks, to: path, mode: mode, scheduler: scheduler)
    }

    /// The integral of a rate that is a wave of 20 seconds.
    private func linesDue(after seconds: Double) -> Int {
        let frequency = 2 * Double.pi / 20
        return Int(Double(rate) * (seconds + swing * (1 - cos(frequency * seconds)) / frequency))
    }

    private struct Batch {
        private var log = SampleLog()
        private var written = 0
        private(set) var text = ""

        /// - Parameter due: the total number of lines to be written by now.
        mutating func fill(upTo due: Int) {
            text = ""
            for _ in written..<due { text += log.line() + "\n" }
            written = due
        }
    }
}
