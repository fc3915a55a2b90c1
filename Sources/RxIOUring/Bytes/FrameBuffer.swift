// SPDX-License-Identifier: Apache-2.0

/// The beginning of a frame, gathered from several chunks.
struct FrameBuffer {
    private var storage = FrameBuffer.empty
    private(set) var count = 0

    private static let empty = ByteStorage(capacity: 0)
    private static let smallest = 256

    /// Appends a copy. Takes constant time for each byte: the memory grows by doubling, and not before the bytes have come.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        if count + bytes.count > storage.capacity {
            let grown = ByteStorage(capacity: max(FrameBuffer.smallest, 2 * storage.capacity, count + bytes.count))
            grown.address.copyMemory(from: storage.address, byteCount: count)
            storage = grown
        }
        (storage.address + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(storage) { try body(UnsafeRawBufferPointer(start: storage.address, count: count)) }
    }

    /// Returns the first `length` bytes, and removes all. The memory goes with them.
    mutating func take(_ length: Int) -> ByteChunk {
        defer { self = FrameBuffer() }
        let chunk = ByteChunk(storage, count: length)
        // A frame that is kept keeps little more than its bytes.
        return length > storage.capacity / 2 ? chunk : chunk.withUnsafeBytes { ByteChunk(copying: $0) }
    }
}
