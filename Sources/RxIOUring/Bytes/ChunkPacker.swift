// SPDX-License-Identifier: Apache-2.0

/// Copies the small slices among the chunks that wait to be written, so that they keep little more memory than their bytes.
///
/// An output counts the bytes of its chunks. A slice of one byte may keep the whole chunk that was received with it. Used by one thread at a time.
struct ChunkPacker {
    /// The memory of the last copies, in which the next ones follow.
    private var slab: ByteStorage?
    private var used = 0

    /// Returns the bytes of `chunk` in memory that is at most twice as large, or shared with copies of its neighbours.
    mutating func pack(_ chunk: ByteChunk) -> ByteChunk {
        guard chunk.keepsMuchMore else { return chunk }
        guard chunk.count <= ByteStorage.smallPiece else { return chunk.compact }
        let slab = slab(for: chunk.count)
        chunk.withUnsafeBytes { bytes in
            if let source = bytes.baseAddress { (slab.address + used).copyMemory(from: source, byteCount: bytes.count) }
        }
        defer { used += chunk.count }
        return ByteChunk(slab, used..<used + chunk.count)
    }

    private mutating func slab(for count: Int) -> ByteStorage {
        if let slab, used + count <= slab.capacity { return slab }
        let next = ByteStorage.slab(after: slab)
        (slab, used) = (next, 0)
        return next
    }

    /// Begins anew, with a small slab: the chunks that were packed keep the old one.
    mutating func reset() { slab = nil }
}

extension ByteStorage {
    /// The most bytes of a piece that is copied into a slab, behind others.
    static let smallPiece = 512
    /// The sizes of slabs: a single piece takes a small one.
    private static let smallestSlab = 512
    private static let largestSlab = 4_096

    /// Makes the slab in which pieces follow when `slab` is full: twice as large, up to `largestSlab`.
    static func slab(after slab: ByteStorage?) -> ByteStorage {
        ByteStorage(capacity: min(largestSlab, max(smallestSlab, 2 * (slab?.capacity ?? 0))))
    }
}

extension ByteChunk {
    /// True if the memory that the chunk keeps is more than twice as large as it.
    var keepsMuchMore: Bool { 2 * count < storage.capacity }

    /// The same bytes in memory that is at most twice as large.
    var compact: ByteChunk { keepsMuchMore ? withUnsafeBytes { ByteChunk(copying: $0) } : self }
}
