// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct FramesTests {
    /// The frames of a stream of chunks, and the error that ends it.
    private func frames(
        _ chunks: [[UInt8]], _ split: (Observable<ByteChunk>) -> Observable<ByteChunk>
    ) -> (frames: [[UInt8]], error: IOError?, hasCompleted: Bool) {
        var (found, error, hasCompleted): ([[UInt8]], IOError?, Bool) = ([], nil, false)
        _ = split(Observable.from(chunks.map { ByteChunk($0) })).subscribe(
            onNext: { found.append(Array($0)) }, onError: { error = $0 as? IOError },
            onCompleted: { hasCompleted = true })
        return (found, error, hasCompleted)
    }

    private func cut(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }

    static let prefixes = [1, 2, 4, 8].flatMap { size in
        LengthPrefix.ByteOrder.allCases.map { LengthPrefix(size: size, byteOrder: $0) }
    }

    private static let payloads = [pattern(3), [], pattern(200), [7], [], pattern(20)]

    // MARK: Length prefixes

    @Test(
        "Frames with a length in front do not depend on where chunks end", arguments: prefixes,
        [1, 2, 3, 5, 7, 16, 1_000])
    func anyChunkSize(_ prefix: LengthPrefix, chunkSize: Int) throws {
        let bytes = try Self.payloads.flatMap { Array(try prefix.frame(ByteChunk($0))) }
        let found = frames(cut(bytes, chunkSize)) { $0.frames(prefix) }
        #expect(found.frames == Self.payloads)
        #expect(found.hasCompleted)
    }

    @Test(
        "A prefix tells the length in the order of its bytes",
        arguments: zip(
            prefixes,
            [
                [3], [3], [0, 3], [3, 0], [0, 0, 0, 3], [3, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 3],
                [3, 0, 0, 0, 0, 0, 0, 0],
            ] as [[UInt8]]))
    func byteOrder(_ prefix: LengthPrefix, expected: [UInt8]) throws {
        #expect(Array(try prefix.frame(ByteChunk([9, 8, 7]))) == expected + [9, 8, 7])
    }

    @Test("A frame that no prefix can tell is an error")
    func unencodable() throws {
        let prefix = LengthPrefix(size: 1)
        #expect(try prefix.frame(ByteChunk(pattern(255))).count == 256)
        #expect(throws: IOError(code: EMSGSIZE, operation: "frame", subject: "256 bytes (over 255 bytes)")) {
            try prefix.frame(ByteChunk(pattern(256)))
        }
        #expect(LengthPrefix(size: 8).maximumLength == .max)
        #expect(LengthPrefix(size: 4).maximumLength == 4_294_967_295)
    }

    @Test(
        "A frame of the maximum length is emitted, and a longer one is an error that names both", arguments: prefixes,
        [1, 100])
    func maximumLength(_ prefix: LengthPrefix, chunkSize: Int) throws {
        let bytes = try [5, 6].flatMap { Array(try prefix.frame(ByteChunk(pattern($0)))) }
        let found = frames(cut(bytes, chunkSize)) { $0.frames(prefix, maximumLength: 5) }
        #expect(found.frames == [pattern(5)])
        #expect(found.error?.code == EMSGSIZE)
        #expect(found.error?.subject == "a frame of 6 bytes (over 5 bytes)")
    }

    /// The fault: the sum of such a length and a position is no number.
    @Test("A length of any size is taken from a peer", arguments: [0, 1, 7, 8, 9, 255], [1, 3, 11])
    func greatestLengths(_ less: UInt64, chunkSize: Int) {
        let length = UInt64(Int.max) - less
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) } + [1, 2, 3]
        let found = frames(cut(bytes, chunkSize)) { $0.frames(LengthPrefix(size: 8), maximumLength: .max) }
        #expect(found.frames.isEmpty && found.error?.code == EBADMSG)
    }

    @Test("A length beyond the memory is an error before a byte of it comes")
    func hugeLength() {
        let found = frames([[255, 255, 255, 255, 255, 255, 255, 255]]) {
            $0.frames(LengthPrefix(size: 8), maximumLength: .max)
        }
        #expect(found.error?.code == EMSGSIZE)
    }

    @Test("A frame takes no memory before its bytes come")
    func announcedLength() {
        let before = residentBytes()
        var subjects: [PublishSubject<ByteChunk>] = []
        for _ in 0..<1_000 {
            let subject = PublishSubject<ByteChunk>()
            _ = subject.frames(LengthPrefix(size: 4), maximumLength: 1 << 30).subscribe()
            subject.onNext(ByteChunk([0x3F, 0xFF, 0xFF, 0xFF, 1]))
            subjects.append(subject)
        }
        #expect(residentBytes() - before < 64 << 20)
    }

    @Test("A stream that ends inside a frame is an error", arguments: [[0], [0, 3], [0, 3, 1, 2]] as [[UInt8]])
    func cutOff(_ bytes: [UInt8]) {
        let found = frames([[0, 1, 9], bytes]) { $0.frames(LengthPrefix(size: 2)) }
        #expect(found.frames == [[9]])
        #expect(found.error?.code == EBADMSG)
    }

    // MARK: Delimiters

    @Test(
        "Frames between delimiters do not depend on where chunks end",
        arguments: [[0], [13, 10], [1, 1, 2], [5, 5]] as [[UInt8]], 1...12)
    func anyChunkSize(_ delimiter: [UInt8], chunkSize: Int) {
        let payloads: [[UInt8]] = [[9, 9, 9], [], [1, 3, 13, 1], [], [], [10, 13, 13, 7, 8], [6]]
        var bytes = payloads.flatMap { $0 + delimiter }
        #expect(frames(cut(bytes, chunkSize)) { $0.frames(delimiter: delimiter) }.frames == payloads)
        bytes.removeLast(delimiter.count)
        #expect(frames(cut(bytes, chunkSize)) { $0.frames(delimiter: delimiter) }.frames == payloads)
    }

    @Test(
        "All streams of few bytes are cut as at once",
        arguments: [[0], [0, 1], [0, 0], [0, 1, 0], [0, 0, 1]] as [[UInt8]])
    func allStreams(_ delimiter: [UInt8]) {
        for number in 0..<256 {
            let bytes = (0..<8).map { UInt8(number >> $0 & 1) }
            let expected = reference(bytes, delimiter)
            for size in [1, 2, 3, 5, 8] {
                #expect(frames(cut(bytes, size)) { $0.frames(delimiter: delimiter) }.frames == expected)
            }
        }
    }

    /// The frames, found byte by byte.
    private func reference(_ bytes: [UInt8], _ delimiter: [UInt8]) -> [[UInt8]] {
        var (found, begun): ([[UInt8]], [UInt8]) = ([], [])
        for byte in bytes {
            begun.append(byte)
            if begun.suffix(delimiter.count).elementsEqual(delimiter) {
                found.append(begun.dropLast(delimiter.count))
                begun = []
            }
        }
        return begun.isEmpty ? found : found + [begun]
    }

    @Test("A frame between delimiters that is too long is an error that names the limit", arguments: 1...8)
    func tooLong(_ chunkSize: Int) {
        let bytes = Array("12345\r\n123456\r\n".utf8)
        let found = frames(cut(bytes, chunkSize)) { $0.frames(delimiter: [13, 10], maximumLength: 5) }
        #expect(found.frames == [Array("12345".utf8)])
        #expect(found.error?.code == EMSGSIZE)
        #expect(found.error?.subject.contains("(over 5 bytes)") == true)
        let last = frames([Array("123456".utf8)]) { $0.frames(delimiter: [0], maximumLength: 5) }
        #expect(last.error?.code == EMSGSIZE)
    }

    @Test("A long frame in small pieces takes linear time")
    func linearTime() {
        let piece = [UInt8](repeating: 97, count: 64)
        let found = frames([[UInt8]](repeating: piece, count: 50_000)) {
            $0.frames(delimiter: [97, 97, 98], maximumLength: 1 << 30)
        }
        #expect(found.frames.map(\.count) == [3_200_000])
    }

    // MARK: Both

    @Test("A frame within one chunk is a slice of it")
    func slices() {
        let chunk = ByteChunk([1, 7, 2, 8, 9, 1, 5])
        var found: [ByteChunk] = []
        _ = Observable.of(chunk[0..<4], chunk[4..<7]).frames(LengthPrefix(size: 1)).subscribe(onNext: {
            found.append($0)
        })
        #expect(found.map(\.weightInBytes) == [7, 2, 7])
        #expect(found.map { Array($0) } == [[7], [8, 9], [5]])
        found = []
        _ = Observable.of(ByteChunk([1, 2, 0, 3, 0])).frames(delimiter: [0]).subscribe(onNext: { found.append($0) })
        #expect(found.map(\.weightInBytes) == [5, 5])
    }

    @Test("An error of the source drops the unfinished frame")
    func failingSource() {
        let source = sequence(ByteChunk([1, 9, 3, 4]), error: .expected)
        #expect(events(of: source.frames(LengthPrefix(size: 1)).map { $0.count }) == ["1", "error(expected)"])
        #expect(events(of: source.frames(delimiter: [9]).map { $0.count }) == ["1", "error(expected)"])
    }

    @Test("Each subscription begins anew, and ends at a dispose inside a chunk")
    func disposedInChunk() {
        let source = PublishSubject<ByteChunk>()
        for _ in 0..<2 {
            let log = EventLog { dispose in
                source.frames(delimiter: [0]).map { $0.count }.do(onNext: { if $0 == 2 { dispose() } })
            }
            source.onNext(ByteChunk([1, 0, 1, 2, 0, 1, 2, 3, 0]))
            #expect(log.text == "1")
            #expect(!source.hasObservers)
        }
    }

    @Test("Arguments that make no sense stop the program") func invalidArguments() async {
        await #expect(processExitsWith: .failure) { _ = LengthPrefix(size: 3) }
        await #expect(processExitsWith: .failure) { _ = Observable<ByteChunk>.never().frames(delimiter: []) }
        await #expect(processExitsWith: .failure) {
            _ = Observable<ByteChunk>.never().frames(LengthPrefix(size: 1), maximumLength: -1)
        }
    }
}
