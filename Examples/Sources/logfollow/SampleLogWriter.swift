import LogLines
import RxIOUring
import RxSwift

/// Writes a sample log, so that there is something to follow.
struct SampleLogWriter {
    let path: String
    /// The rate in lines per second.
    let rate: Int
    let scheduler: IOUringScheduler

    /// Emits the number of bytes written, after `stop` has emitted.
    func write(until stop: Observable<Void>) -> Single<Int> {
        let rate = rate
        let start = ContinuousClock.now
        let chunks = Observable<Int>.interval(.milliseconds(10), scheduler: scheduler)
            .take(until: stop)
            // Goes by the clock, not by the number of ticks: when the loop is late, some are left out.
            .map { _ in Int((ContinuousClock.now - start) / .seconds(1) * Double(rate)) }
            .scan(into: Batch()) { batch, due in batch.fill(upTo: due) }
            .map { ByteChunk($0.text) }
        return File.write(chunks, to: path, mode: .append, scheduler: scheduler)
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
