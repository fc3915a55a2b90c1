// SPDX-License-Identifier: Apache-2.0

public import RxSwift

extension ObservableType where Element == ByteChunk {
    /// Emits the frames of a stream of bytes in which the length of each frame stands in front of it.
    ///
    /// Emits on the threads of the source; chunks may end anywhere. A frame that lies within one chunk is a slice of it, without a copy: one
    /// that is kept keeps the memory of all bytes received with it (`ByteChunk`). Any other frame takes memory as its bytes come, not as announced.
    /// Bytes behind the last frame that is taken are left as by `lines`.
    /// - Parameters:
    ///   - prefix: the form of the length, which does not count itself.
    ///   - maximumLength: the number of bytes that a frame may have, not negative.
    /// - Returns: the frames without their prefixes, empty ones, too. Fails with an `IOError` (`split into frames`): `EMSGSIZE` at a prefix
    ///   that tells more than `maximumLength`, `EBADMSG` if the source completes inside a frame; and as the source does.
    public func frames(_ prefix: LengthPrefix, maximumLength: Int = 1_048_576) -> Observable<ByteChunk> {
        if maximumLength < 0 { fatalError("frames: maximumLength must not be negative, is \(maximumLength)") }
        return split(LengthPrefixSplitter(prefix, maximumLength: maximumLength))
    }

    /// Emits the frames of a stream of bytes which a row of bytes separates.
    ///
    /// Emits on the threads of the source; chunks may end anywhere, also within a delimiter. A frame that lies within one chunk is a slice of
    /// it, without a copy: one that is kept keeps the memory of all bytes received with it (`ByteChunk`). The bytes after the last delimiter are a
    /// frame when the source completes, if there are any, and are dropped when it fails. Bytes behind the last frame that is taken are left as by `lines`.
    /// - Parameters:
    ///   - delimiter: the bytes between two frames, at least one.
    ///   - maximumLength: the number of bytes that a frame may have, not negative, without its delimiter.
    /// - Returns: the frames without their delimiters, empty ones, too. Fails with an `IOError` of `EMSGSIZE` (`split into frames`) at a frame
    ///   that is longer, and as the source does.
    public func frames(delimiter: [UInt8], maximumLength: Int = 1_048_576) -> Observable<ByteChunk> {
        if delimiter.isEmpty { fatalError("frames: delimiter must have at least one byte") }
        if maximumLength < 0 { fatalError("frames: maximumLength must not be negative, is \(maximumLength)") }
        return split(DelimiterSplitter(delimiter, maximumLength: maximumLength))
    }

    private func split<Splitter: FrameSplitter>(_ splitter: Splitter) -> Observable<ByteChunk> {
        let source = asObservable()
        return TransducerObservable(source: source) { FramesTransducer(splitter, of: source.nameOfSource) }
    }
}

private final class FramesTransducer<Splitter: FrameSplitter>: Transducer {
    /// Accessed only by the source's thread.
    @exclusivity(unchecked) private var splitter: Splitter
    /// The name of the source, if that is the input of a connection, a file or a pipe.
    private let subject: String?

    init(_ splitter: Splitter, of subject: String?) {
        self.splitter = splitter
        self.subject = subject
    }

    func next(_ chunk: ByteChunk, into sink: TransducerSink<ByteChunk, ByteChunk>) throws {
        splitter.append(chunk)
        var slice = ChunkDelivery.Slice(isDirect: subject != nil)
        do {
            while let frame = try splitter.next() {
                switch sink.pass(frame) {
                case .wantsMore where !slice.isOver(): break
                case .wantsMore, .wasLast: return slice.putBack(splitter.takeRest())
                case .refused: return
                }
            }
        } catch {
            throw named(error)
        }
    }

    func completed(into sink: TransducerSink<ByteChunk, ByteChunk>) throws {
        do {
            if let frame = try splitter.last() { _ = sink.emit(frame) }
        } catch {
            throw named(error)
        }
    }

    /// An error of the splitter with the name of the source, if that is known.
    private func named(_ error: any Error) -> any Error {
        guard let subject, let error = error as? IOError else { return error }
        return IOError(code: error.code, operation: error.operation, subject: "\(subject): \(error.subject)")
    }
}
