// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The number in front of each frame of a stream that tells the number of bytes behind it.
public struct LengthPrefix: Sendable, Hashable {
    /// The order of the bytes of a number.
    public enum ByteOrder: Sendable, Hashable, CaseIterable {
        /// The byte of highest value first, the order of most network protocols.
        case bigEndian
        /// The byte of lowest value first.
        case littleEndian
    }

    /// The number of bytes of the prefix: 1, 2, 4 or 8.
    public let size: Int

    /// The order of these bytes.
    public let byteOrder: ByteOrder

    /// Creates a prefix of `size` bytes.
    ///
    /// - Parameters:
    ///   - size: 1, 2, 4 or 8.
    ///   - byteOrder: the order of these bytes.
    public init(size: Int, byteOrder: ByteOrder = .bigEndian) {
        if ![1, 2, 4, 8].contains(size) { fatalError("LengthPrefix.init: size must be 1, 2, 4 or 8, not \(size)") }
        self.size = size
        self.byteOrder = byteOrder
    }

    /// The greatest length that the prefix can tell, as far as memory has such.
    public var maximumLength: Int { size == 8 ? .max : 1 << (8 * size) - 1 }

    /// Makes a frame: a copy of the bytes with their number in front.
    ///
    /// - Throws: `IOError` of `EMSGSIZE` (`frame`) if there are more bytes than the prefix can tell.
    public func frame(_ bytes: ByteChunk) throws -> ByteChunk {
        if bytes.count > maximumLength {
            throw IOError(
                code: EMSGSIZE, operation: "frame", subject: "\(bytes.count) bytes (over \(maximumLength) bytes)")
        }
        let storage = ByteStorage(capacity: size + bytes.count)
        for place in 0..<size {
            let shift = 8 * (byteOrder == .littleEndian ? place : size - 1 - place)
            storage.address.storeBytes(
                of: UInt8(truncatingIfNeeded: bytes.count >> shift), toByteOffset: place, as: UInt8.self)
        }
        bytes.withUnsafeBytes {
            if let source = $0.baseAddress {
                (storage.address + size).copyMemory(from: source, byteCount: $0.count)
            }
        }
        return ByteChunk(storage, count: size + bytes.count)
    }

    /// The number that the bytes of a prefix tell.
    func length(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var length: UInt64 = 0
        for place in 0..<size {
            length = length << 8 | UInt64(bytes[byteOrder == .bigEndian ? place : size - 1 - place])
        }
        return length
    }
}
