// SPDX-License-Identifier: Apache-2.0

import Glibc
public import RxSwift

/// Immutable bytes in one piece of memory, which copies and slices share.
///
/// A stream reads its chunks into memory of its own, which goes back to it with the last copy or slice. A chunk that is kept keeps the
/// memory of all bytes read with it, so copy small pieces that have to stay (`Array(chunk)`, `Data(chunk)`). Outputs copy the slices that have to wait, if
/// those keep more than twice their bytes.
public struct ByteChunk: RandomAccessCollection, Sendable {
    /// A byte.
    public typealias Element = UInt8
    /// An offset into the memory that the chunk shares.
    public typealias Index = Int
    /// A slice, which shares the memory.
    public typealias SubSequence = ByteChunk

    let storage: ByteStorage
    /// The position of the first byte. Not 0 in a slice, which has the positions of the whole.
    public let startIndex: Int
    /// The position behind the last byte.
    public let endIndex: Int

    /// A chunk of the first `count` bytes of `storage`, which must not be written to any more.
    init(_ storage: ByteStorage, count: Int) {
        self.init(storage, 0..<count)
    }

    init(_ storage: ByteStorage, _ range: Range<Int>) {
        self.storage = storage
        startIndex = range.lowerBound
        endIndex = range.upperBound
    }

    /// Copies the bytes of a sequence.
    public init<Bytes: Sequence>(_ bytes: Bytes) where Bytes.Element == UInt8 {
        if let copied = bytes.withContiguousStorageIfAvailable({ ByteChunk(copying: UnsafeRawBufferPointer($0)) }) {
            self = copied
        } else {
            self = Array(bytes).withUnsafeBytes { ByteChunk(copying: $0) }
        }
    }

    /// Copies the bytes of a text in UTF-8.
    public init(_ text: String) {
        var text = text
        self = text.withUTF8 { ByteChunk(copying: UnsafeRawBufferPointer($0)) }
    }

    /// Copies the bytes of a buffer.
    public init(copying bytes: UnsafeRawBufferPointer) {
        let storage = ByteStorage(capacity: bytes.count)
        if let source = bytes.baseAddress { storage.address.copyMemory(from: source, byteCount: bytes.count) }
        self.init(storage, 0..<bytes.count)
    }

    /// The byte at a position from `startIndex` on.
    public subscript(position: Int) -> UInt8 {
        guard position >= startIndex, position < endIndex else {
            fatalError("ByteChunk: index \(position) is out of \(startIndex)..<\(endIndex)")
        }
        return storage.address.load(fromByteOffset: position, as: UInt8.self)
    }

    /// A slice of the bytes. It shares the memory, and keeps it from going back to its stream.
    public subscript(bounds: Range<Int>) -> ByteChunk {
        guard bounds.lowerBound >= startIndex, bounds.upperBound <= endIndex else {
            fatalError("ByteChunk: range \(bounds) is out of \(startIndex)..<\(endIndex)")
        }
        return ByteChunk(storage, bounds)
    }

    /// Lends the bytes to `body`. The pointer is not valid after `body` has returned.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(storage) {
            try body(UnsafeRawBufferPointer(start: storage.address + startIndex, count: count))
        }
    }

    /// Lends the bytes to `body`, as `withUnsafeBytes` does.
    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try withUnsafeBytes { try $0.withMemoryRebound(to: UInt8.self, body) }
    }

    /// Copies bytes into `buffer` until it is full. `Array(chunk)` and `array += chunk` call it; they would copy byte by byte otherwise.
    public func _copyContents(
        initializing buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> (IndexingIterator<ByteChunk>, UnsafeMutableBufferPointer<UInt8>.Index) {
        let copied = self[startIndex..<startIndex + Swift.min(count, buffer.count)]
        copied.withUnsafeBytes { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
        return (self[copied.endIndex...].makeIterator(), buffer.startIndex + copied.count)
    }
}

extension ByteChunk: Equatable {
    /// Returns true if the bytes are the same, regardless of their memory.
    public static func == (lhs: ByteChunk, rhs: ByteChunk) -> Bool {
        lhs.withUnsafeBytes { left in
            rhs.withUnsafeBytes { right in
                left.count == right.count
                    && (left.isEmpty || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0)
            }
        }
    }
}

extension ByteChunk: Weighted {
    /// The bytes of the memory that the chunk keeps from being reused: at least `count`, and more for a slice.
    public var weightInBytes: Int { storage.capacity }
}

extension ByteChunk: CustomStringConvertible {
    /// The number of bytes only, since a chunk may be large.
    public var description: String { "ByteChunk(\(count) bytes)" }
}

extension String {
    /// Decodes the bytes as UTF-8; invalid UTF-8 becomes U+FFFD.
    public init(_ chunk: ByteChunk) {
        self = chunk.withUnsafeBytes { String(repairing: $0) }
    }
}
