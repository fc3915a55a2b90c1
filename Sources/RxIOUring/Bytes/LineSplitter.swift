// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Cuts a stream of bytes, which comes in chunks, into lines.
///
///     splitter.append(chunk)
///     while let line = try splitter.next() { ... }
///     // and after the last chunk
///     if let line = try splitter.last() { ... }
///
/// A line ends at a line feed, which is not part of it, nor is a carriage return right in front of that. Lines are decoded as
/// UTF-8 as a whole, so chunks may end anywhere; invalid UTF-8 becomes U+FFFD.
///
/// Each byte is looked at once, however long the lines are and wherever chunks end. Of each chunk, only the bytes behind its
/// last line feed are copied.
public struct LineSplitter {
    /// The number of bytes that a line may have by default: 1 MiB.
    public static let defaultMaximumLength = 1 << 20

    /// The number of bytes that a line may have, without its terminator.
    public let maximumLength: Int

    /// The name of the stream in errors.
    private let subject: String

    /// The memory of the chunk that is being cut; nil when the chunk is used up.
    private var storage: ByteStorage?
    /// The rest of that chunk; nil without a chunk. Kept beside `storage`, so that a line costs no reference counting.
    private var position: UnsafeRawPointer?
    private var remaining = 0

    /// The beginning of a line whose end has not arrived.
    private var begun: [UInt8] = []

    private static let lineFeed: UInt8 = 0x0A
    private static let carriageReturn: UInt8 = 0x0D

    /// A splitter that has no bytes yet.
    ///
    /// - Parameters:
    ///   - maximumLength: the number of bytes that a line may have, without its terminator. Bounds the memory that is needed.
    ///   - subject: the thing that errors name as failed: a path, an address.
    public init(maximumLength: Int = defaultMaximumLength, subject: String = "stream") {
        if maximumLength < 0 {
            fatalError("LineSplitter: the maximum length must not be negative, is \(maximumLength)")
        }
        self.maximumLength = maximumLength
        self.subject = subject
    }

    /// The bytes behind the last line that `next` has returned, if that was in the last chunk: for what follows a head of lines in another form.
    ///
    /// Empty once `next` has returned nil: the beginning of a line belongs to the splitter.
    public var rest: ByteChunk {
        guard let storage, let position else { return ByteChunk(EmptyCollection()) }
        let start = position - UnsafeRawPointer(storage.address)
        return ByteChunk(storage, count: start + remaining)[start..<start + remaining]
    }

    /// Takes the bytes of `rest`. Then another chunk is needed, of these bytes or what follows them.
    mutating func takeRest() -> ByteChunk {
        defer { (storage, position) = (nil, nil) }
        return rest
    }

    /// Takes the next chunk of the stream, and holds it until `next` has returned nil. Must not be called again earlier.
    public mutating func append(_ chunk: ByteChunk) {
        if storage != nil { fatalError("LineSplitter: append was called before next had returned nil") }
        storage = chunk.storage
        position = UnsafeRawPointer(chunk.storage.address + chunk.startIndex)
        remaining = chunk.count
    }

    /// The next line that is complete, or nil: then another chunk is needed.
    ///
    /// Throws an `IOError` of `EMSGSIZE` (`split into lines`) if a line is too long. After that the splitter must not be used.
    public mutating func next() throws -> String? {
        guard let start = position else { return nil }
        guard let found = memchr(start, CInt(LineSplitter.lineFeed), remaining) else {
            defer { (storage, position) = (nil, nil) }
            try keep(UnsafeRawBufferPointer(start: start, count: remaining))
            return nil
        }
        let length = UnsafeRawPointer(found) - start
        position = start + (length + 1)
        remaining -= length + 1
        let piece = UnsafeRawBufferPointer(start: start, count: length)
        if begun.isEmpty { return try text(piece) }
        try keep(piece)
        return try takeBegun()
    }

    /// The last line of a stream that has ended, if it does not end in a line feed. Throws as `next` does.
    public mutating func last() throws -> String? {
        begun.isEmpty ? nil : try takeBegun(isTerminated: false)
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer) throws {
        // One more byte may be a carriage return that does not count.
        if begun.count + bytes.count - 1 > maximumLength { throw tooLong }
        begun.append(contentsOf: bytes)
    }

    private mutating func takeBegun(isTerminated: Bool = true) throws -> String {
        let line = try begun.withUnsafeBytes { try text($0, isTerminated: isTerminated) }
        // The memory of a single long line is not kept.
        begun.removeAll(keepingCapacity: begun.capacity <= 1 << 16)
        return line
    }

    private func text(_ bytes: UnsafeRawBufferPointer, isTerminated: Bool = true) throws -> String {
        var count = bytes.count
        if isTerminated, count > 0, bytes[count - 1] == LineSplitter.carriageReturn { count -= 1 }
        if count > maximumLength { throw tooLong }
        return String(repairing: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }

    private var tooLong: IOError {
        IOError(code: EMSGSIZE, operation: "split into lines", subject: "\(subject) (over \(maximumLength) bytes)")
    }
}
