// SPDX-License-Identifier: Apache-2.0

public import RxSwift

extension ObservableType where Element == ByteChunk {
    /// Emits the lines of a stream of bytes, as `LineSplitter` cuts them.
    ///
    /// Emits on the threads of the source. The bytes after the last line feed are a line when the source completes, and are
    /// dropped when it fails: they may be half a line. A chunk is released before the first line that is not complete in it.
    ///
    /// Directly on the bytes of a connection, a file or a pipe, a subscriber has the time of a turn of the loop for its lines. The rest of the chunk waits
    /// until others had theirs, and no stage below pauses the source.
    ///
    /// Directly on `Connection.received`, a subscriber that leaves behind a line, as `take(1)` does, leaves the bytes after it to the next subscriber
    /// of `received`: a head of lines and then a body of another form. Lines that wait in a stage between, as in `observe(on:)` or in a shared
    /// sequence with a subscriber on another thread, are not left to it: `take(1)` comes before such a stage.
    /// - Parameter maximumLength: the number of bytes that a line may have, not negative, without its line ending.
    /// - Returns: the lines. Fails with an `IOError` of `EMSGSIZE` at a line that is longer, which names the peer or the file if this is
    ///   called on `Connection.received` or `File.read` itself, and as the source does.
    public func lines(maximumLength: Int = LineSplitter.defaultMaximumLength) -> Observable<String> {
        lines(LineSplitter(maximumLength: maximumLength, subject: asObservable().nameOfSource ?? "stream"))
    }

    func lines(_ splitter: LineSplitter) -> Observable<String> {
        let source = asObservable()
        let isDirect = source.nameOfSource != nil
        return TransducerObservable(source: source) { LinesTransducer(splitter, isDirect: isDirect) }
    }
}

private final class LinesTransducer: Transducer {
    /// Accessed only by the source's thread.
    @exclusivity(unchecked) private var splitter: LineSplitter

    /// True if the source is the input of a connection, a file or a pipe.
    private let isDirect: Bool

    init(_ splitter: LineSplitter, isDirect: Bool) {
        self.splitter = splitter
        self.isDirect = isDirect
    }

    func next(_ chunk: ByteChunk, into sink: TransducerSink<ByteChunk, String>) throws {
        splitter.append(chunk)
        var slice = ChunkDelivery.Slice(isDirect: isDirect)
        while let line = try splitter.next() {
            switch sink.pass(line) {
            case .wantsMore where !slice.isOver(): break
            case .wantsMore, .wasLast: return slice.putBack(splitter.takeRest())
            case .refused: return
            }
        }
    }

    func completed(into sink: TransducerSink<ByteChunk, String>) throws {
        if let line = try splitter.last() { _ = sink.emit(line) }
    }
}

extension Observable<ByteChunk> {
    /// The peer, file or descriptor whose bytes these are, as errors name it; nil if other operators are in between.
    var nameOfSource: String? { (self as? SourceObservable<ByteChunk>)?.subject }
}
