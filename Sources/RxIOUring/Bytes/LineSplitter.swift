import Glibc

/// Cuts a stream of bytes, which comes in chunks, into lines.
///
///     splitter.append(chunk)
///     while let line = try splitter.next() { ... }
///     // and after the last chunk
///     if let line = try splitter.last() { ... }
///
/// A line ends at a line feed, which is not part of it, nor is a carriage return right in front of that. Lines are decoded as
/// UTF-8 as a whole, so chunks may end anywhere; what is not UTF-8 becomes U+FFFD.
///
/// Each byte is looked at once, however long the lines are and wherever chunks end. Only what is left of a chunk behind its
/// last line feed is copied.
public struct LineSplitter {
    /// How many bytes a line may have, unless told otherwise: 1 MiB.
    public static let defaultMaximumLength = 1 << 20

    /// How many bytes a line may have, without what ends it.
    public let maximumLength: Int

    /// What errors are about.
    private let subject: String

    /// Holds the chunk that is being cut; nil when it is used up.
    private var storage: ByteStorage?
    /// What is left of that chunk. Nil without one. Kept beside it, so that a line costs no counting of references.
    private var position: UnsafeRawPointer?
    private var remaining = 0

    /// The beginning of a line whose end has not come.
    private var begun: [UInt8] = []

    private static let lineFeed: UInt8 = 0x0A
    private static let carriageReturn: UInt8 = 0x0D

    /// Has no bytes yet.
    ///
    /// - Parameters:
    ///   - maximumLength: how many bytes a line may have, without what ends it. Bounds the memory that is needed.
    ///   - subject: what errors name as the thing that failed: a path, an address.
    public init(maximumLength: Int = defaultMaximumLength, subject: String = "stream") {
        precondition(
            maximumLength >= 0, "LineSplitter: the maximum length must not be negative, is \(maximumLength)")
        self.maximumLength = maximumLength
        self.subject = subject
    }

    /// Takes the next chunk of the stream, and holds it until `next` has returned nil. Not earlier.
    public mutating func append(_ chunk: ByteChunk) {
        precondition(storage == nil, "LineSplitter: append was called before next had returned nil")
        storage = chunk.storage
        position = UnsafeRawPointer(chunk.storage.address + chunk.startIndex)
        remaining = chunk.count
    }

    /// The next line that is complete, or nil: then another chunk is needed.
    ///
    /// Throws an `IOError` of `EMSGSIZE` (`split into lines`) if a line is too long. The splitter is of no use then.
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

    /// What is left when the stream has ended, if its last line does not end in a line feed.
    ///
    /// Throws as `next` does.
    public mutating func last() throws -> String? {
        begun.isEmpty ? nil : try takeBegun(isTerminated: false)
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer) throws {
        // One more may be a carriage return that does not count.
        if begun.count + bytes.count > maximumLength + 1 { throw tooLong }
        begun.append(contentsOf: bytes)
    }

    private mutating func takeBegun(isTerminated: Bool = true) throws -> String {
        let line = try begun.withUnsafeBytes { try text($0, isTerminated: isTerminated) }
        // One long line is no reason to keep its memory.
        begun.removeAll(keepingCapacity: begun.capacity <= 1 << 16)
        return line
    }

    private func text(_ bytes: UnsafeRawBufferPointer, isTerminated: Bool = true) throws -> String {
        var count = bytes.count
        if isTerminated, count > 0, bytes[count - 1] == LineSplitter.carriageReturn { count -= 1 }
        if count > maximumLength { throw tooLong }
        return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[..<count]), as: UTF8.self)
    }

    private var tooLong: IOError {
        IOError(code: EMSGSIZE, operation: "split into lines", subject: "\(subject) (over \(maximumLength) bytes)")
    }
}
