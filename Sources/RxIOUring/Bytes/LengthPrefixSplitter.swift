// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Cuts a stream into frames that begin with their length.
struct LengthPrefixSplitter: FrameSplitter {
    private let prefix: LengthPrefix
    private let maximumLength: Int

    /// The rest of the chunk that is being cut; nil when it is used up.
    private var current: ByteChunk?
    /// The beginning of a prefix, or, once `length` is known, of a frame.
    private var begun = FrameBuffer()
    /// The length of the frame that has begun; nil while its prefix is incomplete.
    private var length: Int?

    init(_ prefix: LengthPrefix, maximumLength: Int) {
        self.prefix = prefix
        self.maximumLength = maximumLength
    }

    mutating func append(_ chunk: ByteChunk) { current = chunk }

    mutating func takeRest() -> ByteChunk { current.take() ?? ByteChunk(EmptyCollection()) }

    mutating func next() throws -> ByteChunk? {
        guard let chunk = current else { return nil }
        var position = chunk.startIndex
        if length == nil {
            guard try takePrefix(chunk, &position) else { return nil }
        }
        guard let length else { return nil }
        if begun.count == 0, length <= chunk.endIndex - position {
            self.length = nil
            let end = position + length
            current = chunk[end..<chunk.endIndex]
            return chunk[position..<end]
        }
        // The length is the peer's: no sum with it.
        let missing = min(chunk.endIndex - position, length - begun.count)
        let part = chunk[position..<position + missing]
        part.withUnsafeBytes { begun.append($0) }
        if begun.count < length {
            current = nil
            return nil
        }
        self.length = nil
        current = chunk[part.endIndex..<chunk.endIndex]
        return begun.take(length)
    }

    /// Takes the bytes of a prefix. Returns false if the chunk is used up before.
    private mutating func takePrefix(_ chunk: ByteChunk, _ position: inout Int) throws -> Bool {
        let part = chunk[position..<min(chunk.endIndex, position + prefix.size - begun.count)]
        position = part.endIndex
        let isWhole = begun.count == 0 && part.count == prefix.size
        if !isWhole { part.withUnsafeBytes { begun.append($0) } }
        if !isWhole, begun.count < prefix.size {
            current = nil
            return false
        }
        let number = isWhole ? part.withUnsafeBytes(prefix.length) : begun.withUnsafeBytes(prefix.length)
        begun = FrameBuffer()
        if number > UInt64(maximumLength) {
            throw IOError(
                code: EMSGSIZE, operation: "split into frames",
                subject: "a frame of \(number) bytes (over \(maximumLength) bytes)")
        }
        length = Int(number)
        return true
    }

    /// A stream that ends inside a frame was cut off: an error, as a length was promised.
    mutating func last() throws -> ByteChunk? {
        if length == nil, begun.count == 0 { return nil }
        let expected = length.map { "\($0) bytes" } ?? "a prefix of \(prefix.size) bytes"
        throw IOError(
            code: EBADMSG, operation: "split into frames",
            subject: "the stream has ended behind \(begun.count) of \(expected)")
    }
}
