// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// Cuts a stream into frames that a row of bytes separates.
///
/// Each byte is searched twice at most, and copied only of a frame that does not lie within one chunk.
struct DelimiterSplitter: FrameSplitter {
    private let delimiter: [UInt8]
    private let maximumLength: Int

    /// The rest of the chunk that is being cut; nil when it is used up.
    private var current: ByteChunk?
    /// The beginning of a frame whose end has not come, in which there is no delimiter.
    private var begun = FrameBuffer()

    /// - Parameter delimiter: at least one byte.
    init(_ delimiter: [UInt8], maximumLength: Int) {
        self.delimiter = delimiter
        self.maximumLength = maximumLength
    }

    mutating func append(_ chunk: ByteChunk) { current = chunk }

    mutating func takeRest() -> ByteChunk { current.take() ?? ByteChunk(EmptyCollection()) }

    mutating func next() throws -> ByteChunk? {
        guard let chunk = current else { return nil }
        if begun.count > 0, let used = delimiterAcrossTheEdge(chunk) {
            let length = begun.count + used - delimiter.count
            try check(length)
            current = chunk[(chunk.startIndex + used)..<chunk.endIndex]
            return begun.take(length)
        }
        guard let place = chunk.withUnsafeBytes(search) else {
            // The last bytes may be the beginning of a delimiter.
            try check(begun.count + chunk.count - (delimiter.count - 1))
            chunk.withUnsafeBytes { begun.append($0) }
            current = nil
            return nil
        }
        try check(begun.count + place)
        let end = chunk.startIndex + place
        current = chunk[(end + delimiter.count)..<chunk.endIndex]
        let frame = chunk[chunk.startIndex..<end]
        if begun.count == 0 { return frame }
        frame.withUnsafeBytes { begun.append($0) }
        return begun.take(begun.count)
    }

    /// Looks for a delimiter that begins in front of a chunk. Returns the number of its bytes that are in the chunk.
    private func delimiterAcrossTheEdge(_ chunk: ByteChunk) -> Int? {
        let most = delimiter.count - 1
        if most == 0 { return nil }
        var window = begun.withUnsafeBytes { Array($0.suffix(most)) }
        let before = window.count
        chunk.withUnsafeBytes { window.append(contentsOf: $0.prefix(most)) }
        guard let place = window.withUnsafeBytes(search) else { return nil }
        return place + delimiter.count - before
    }

    /// The position of the first delimiter; nil if there is none.
    private func search(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress else { return nil }
        if delimiter.count == 1 {
            return memchr(start, CInt(delimiter[0]), bytes.count).map { UnsafeRawPointer($0) - start }
        }
        return rx_find(start, bytes.count, delimiter, delimiter.count).map { $0 - start }
    }

    private func check(_ length: Int) throws {
        if length <= maximumLength { return }
        throw IOError(
            code: EMSGSIZE, operation: "split into frames",
            subject: "a frame of \(length) bytes or more (over \(maximumLength) bytes)")
    }

    /// The bytes behind the last delimiter, if there are any.
    mutating func last() throws -> ByteChunk? {
        if begun.count == 0 { return nil }
        try check(begun.count)
        return begun.take(begun.count)
    }
}
