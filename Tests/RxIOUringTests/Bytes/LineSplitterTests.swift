// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct LineSplitterTests {
    /// The lines of chunks, and the error that ends them.
    private func lines(_ chunks: [[UInt8]], maximumLength: Int = 1 << 20) -> (lines: [String], error: IOError?) {
        var splitter = LineSplitter(maximumLength: maximumLength, subject: "test")
        var found: [String] = []
        do {
            for chunk in chunks {
                splitter.append(ByteChunk(chunk))
                while let line = try splitter.next() { found.append(line) }
            }
            if let line = try splitter.last() { found.append(line) }
            return (found, nil)
        } catch {
            return (found, error as? IOError)
        }
    }

    private func lines(_ texts: String...) -> [String] { lines(texts.map { Array($0.utf8) }).lines }

    @Test("A line feed ends a line and is no part of it") func lineFeed() {
        #expect(lines("a\nbc\n\nd\n") == ["a", "bc", "", "d"])
        #expect(lines("\n") == [""])
    }

    @Test("The last line needs no line feed") func lastLine() {
        #expect(lines("a\nb") == ["a", "b"])
        #expect(lines("a") == ["a"])
        #expect(lines("") == [])
        #expect(lines() == [])
    }

    @Test("A carriage return before a line feed is no part of the line") func carriageReturn() {
        #expect(lines("a\r\nb\r\n\r\n") == ["a", "b", ""])
        #expect(lines("a\r", "\nb") == ["a", "b"])
    }

    @Test("Any other carriage return stays in its line") func otherCarriageReturns() {
        #expect(lines("a\rb\r\r\nc\r") == ["a\rb\r", "c\r"])
    }

    static let text = Array("Grüße, 世界\r\n👩‍👩‍👧‍👦\nend\r\n\n\nlast €".utf8)

    @Test("Lines do not depend on where chunks end", arguments: 1...text.count)
    func anyChunkSize(_ size: Int) {
        let chunks = stride(from: 0, to: Self.text.count, by: size).map {
            Array(Self.text[$0..<min($0 + size, Self.text.count)])
        }
        #expect(lines(chunks).lines == ["Grüße, 世界", "👩‍👩‍👧‍👦", "end", "", "", "last €"])
    }

    @Test("Empty chunks and slices of chunks change no line") func emptyChunks() throws {
        var splitter = LineSplitter()
        let chunk = ByteChunk("xxa\nbyy")
        splitter.append(chunk[3..<3])
        #expect(try splitter.next() == nil)
        splitter.append(chunk[2..<5])
        #expect(try splitter.next() == "a")
        #expect(try splitter.next() == nil)
        #expect(try splitter.last() == "b")
        #expect(try splitter.last() == nil)
    }

    @Test("Bytes that are not valid UTF-8 are replaced") func invalidUTF8() {
        #expect(lines([[0x61, 0xFF, 0x0A, 0xE2, 0x82]]).lines == ["a\u{FFFD}", "\u{FFFD}"])
    }

    @Test("A line of the maximum length is emitted", arguments: ["\n", "\r\n"])
    func maximumLength(_ ending: String) {
        let bytes = Array(("12345" + ending + "1234" + ending).utf8)
        #expect(lines([bytes], maximumLength: 5).lines == ["12345", "1234"])
        #expect(lines(bytes.map { [$0] }, maximumLength: 5).lines == ["12345", "1234"])
    }

    @Test("A line may be of any length", arguments: [Int.max, .max - 1]) func unlimited(_ length: Int) {
        let bytes = Array("12345\n1234".utf8)
        #expect(lines(bytes.map { [$0] }, maximumLength: length).lines == ["12345", "1234"])
    }

    @Test(
        "A line that is too long is an error that names the stream",
        arguments: [[Array("ok\n123456\n".utf8)], Array("ok\n123456\n".utf8).map { [$0] }])
    func tooLong(_ chunks: [[UInt8]]) {
        let found = lines(chunks, maximumLength: 5)
        #expect(found.lines == ["ok"])
        #expect(found.error?.code == EMSGSIZE)
        #expect(found.error?.subject == "test (over 5 bytes)")
    }

    @Test("A splitter knows its maximum length") func knownMaximumLength() {
        #expect(LineSplitter(maximumLength: 7).maximumLength == 7)
    }

    @Test("A line that does not end is an error as soon as it is too long") func endlessLine() throws {
        var splitter = LineSplitter(maximumLength: 1_000)
        splitter.append(ByteChunk([UInt8](repeating: 97, count: 1_000)))
        #expect(try splitter.next() == nil)
        splitter.append(ByteChunk([97, 97]))
        #expect(throws: IOError.self) { try splitter.next() }
    }

    @Test("A last line that is too long is an error at the end of the stream") func tooLongLastLine() {
        #expect(lines([Array("123456".utf8)], maximumLength: 5).error?.code == EMSGSIZE)
        #expect(lines([Array("12345".utf8)], maximumLength: 5).lines == ["12345"])
    }

    @Test("A long line in small pieces takes linear time") func linearTime() throws {
        // Quadratic time would be 10^13 steps.
        let piece = ByteChunk([UInt8](repeating: 97, count: 64))
        var splitter = LineSplitter(maximumLength: 1 << 30)
        for _ in 0..<100_000 {
            splitter.append(piece)
            #expect(try splitter.next() == nil)
        }
        splitter.append(ByteChunk([10]))
        #expect(try splitter.next()?.utf8.count == 6_400_000)
    }
}
