// SPDX-License-Identifier: Apache-2.0

import RxIOUring
import Testing

/// Chunks as collections of bytes.
@Suite struct ByteChunkTests {
    private let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }

    @Test(
        "An array of a chunk or of a slice has its bytes", arguments: [0..<1_000, 0..<0, 17..<18, 300..<1_000, 0..<999])
    func arrays(_ range: Range<Int>) {
        let chunk = ByteChunk(bytes)[range]
        #expect(Array(chunk) == Array(bytes[range]))
        var longer: [UInt8] = [1, 2, 3]
        longer += chunk
        longer.append(contentsOf: chunk)
        #expect(longer == [1, 2, 3] + bytes[range] + bytes[range])
        #expect(ContiguousArray(chunk).count == range.count)
    }

    @Test("A copy into a shorter buffer leaves the rest to the iterator", arguments: [0, 1, 400, 699, 700, 2_000])
    func rest(_ capacity: Int) {
        let chunk = ByteChunk(bytes)[300..<1_000]
        var copied: [UInt8] = []
        var rest: [UInt8] = []
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
            var (iterator, end) = chunk._copyContents(initializing: buffer)
            copied = Array(buffer[..<end])
            while let byte = iterator.next() { rest.append(byte) }
        }
        #expect(copied.count == min(capacity, 700))
        #expect(copied + rest == Array(bytes[300...]))
    }

    @Test("Chunks are equal if their bytes are, wherever they lie")
    func equality() {
        let chunk = ByteChunk([1, 2, 3, 1, 2, 3, 1, 2, 4])
        #expect(chunk[0..<3] == chunk[3..<6])
        #expect(chunk[0..<3] != chunk[6..<9])
        #expect(chunk[0..<3] != chunk[0..<4])
        #expect(chunk[2..<2] == ByteChunk([]))
        #expect(chunk[0..<0] != chunk)
    }
}
