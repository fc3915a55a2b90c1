import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct LineSplitterTests {
    /// The lines of chunks, and what it throws at the end.
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

    @Test func linesEndAtLineFeedsWhichAreNoPartOfThem() {
        #expect(lines("a\nbc\n\nd\n") == ["a", "bc", "", "d"])
        #expect(lines("\n") == [""])
    }

    @Test func theLastLineNeedsNoLineFeed() {
        #expect(lines("a\nb") == ["a", "b"])
        #expect(lines("a") == ["a"])
        #expect(lines("") == [])
        #expect(lines() == [])
    }

    @Test func aCarriageReturnInFrontOfALineFeedGoesWithIt() {
        #expect(lines("a\r\nb\r\n\r\n") == ["a", "b", ""])
        #expect(lines("a\r", "\nb") == ["a", "b"])
    }

    @Test func otherCarriageReturnsStay() {
        #expect(lines("a\rb\r\r\nc\r") == ["a\rb\r", "c\r"])
    }

    @Test func chunksMayEndAnywhere() {
        let text = "Grüße, 世界\r\n👩‍👩‍👧‍👦\nend\r\n\n\nlast €"
        let expected = ["Grüße, 世界", "👩‍👩‍👧‍👦", "end", "", "", "last €"]
        let bytes = Array(text.utf8)
        for size in 1...bytes.count {
            let chunks = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
            #expect(lines(chunks).lines == expected, "in chunks of \(size) bytes")
        }
    }

    @Test func emptyChunksAndSlicesChangeNothing() throws {
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

    @Test func whatIsNotUTF8IsReplaced() {
        #expect(lines([[0x61, 0xFF, 0x0A, 0xE2, 0x82]]).lines == ["a\u{FFFD}", "\u{FFFD}"])
    }

    @Test(arguments: ["\n", "\r\n"])
    func aLineOfTheMaximumLengthIsLetThrough(_ ending: String) {
        let bytes = Array(("12345" + ending + "1234" + ending).utf8)
        #expect(lines([bytes], maximumLength: 5).lines == ["12345", "1234"])
        #expect(lines(bytes.map { [$0] }, maximumLength: 5).lines == ["12345", "1234"])
    }

    @Test func aLineThatIsTooLongIsAnErrorThatNamesTheStream() {
        for chunks in [[Array("ok\n123456\n".utf8)], Array("ok\n123456\n".utf8).map { [$0] }] {
            let found = lines(chunks, maximumLength: 5)
            #expect(found.lines == ["ok"])
            #expect(found.error?.code == EMSGSIZE)
            #expect(found.error?.subject == "test (over 5 bytes)")
        }
        #expect(LineSplitter(maximumLength: 7).maximumLength == 7)
    }

    @Test func aLineThatNeverEndsIsAnErrorAsSoonAsItIsTooLong() throws {
        var splitter = LineSplitter(maximumLength: 1_000)
        splitter.append(ByteChunk([UInt8](repeating: 97, count: 1_000)))
        #expect(try splitter.next() == nil)
        splitter.append(ByteChunk([97, 97]))
        #expect(throws: IOError.self) { try splitter.next() }
    }

    @Test func anUnfinishedLineOfTooManyBytesIsAnErrorAtTheEnd() {
        #expect(lines([Array("123456".utf8)], maximumLength: 5).error?.code == EMSGSIZE)
        #expect(lines([Array("12345".utf8)], maximumLength: 5).lines == ["12345"])
    }

    @Test func longLinesInSmallPiecesTakeLinearTime() throws {
        // Quadratic, this would be 10^13 steps.
        let piece = ByteChunk([UInt8](repeating: 97, count: 64))
        var splitter = LineSplitter(maximumLength: 1 << 30)
        for _ in 0..<100_000 {
            splitter.append(piece)
            #expect(try splitter.next() == nil)
        }
        splitter.append(ByteChunk([10]))
        #expect(try splitter.next()?.utf8.count == 6_400_000)
    }

    // MARK: The operator

    @Test func theOperatorCutsAnyStreamOfChunks() {
        let chunks = Observable.of(ByteChunk("a\nb"), ByteChunk("c\n"), ByteChunk("d"))
        #expect(events(of: chunks.lines()) == ["a", "bc", "d", "completed"])
        // Each subscription begins anew.
        #expect(events(of: chunks.lines().take(1).concat(chunks.lines())) == ["a", "a", "bc", "d", "completed"])
    }

    @Test func halfALineIsDroppedWhenTheSourceFails() {
        let source = sequence(ByteChunk("a\nhal"), error: .expected)
        #expect(events(of: source.lines()) == ["a", "error(expected)"])
    }

    @Test func theOperatorFailsAtALineThatIsTooLongAndEndsItsSource() {
        let source = PublishSubject<ByteChunk>()
        let log = EventLog(source.lines(maximumLength: 3))
        source.onNext(ByteChunk("abc\nabcd\ne"))
        #expect(log.lines.first == "abc" && log.lines.count == 2 && log.lines[1].contains("errno \(EMSGSIZE)"))
        #expect(!source.hasObservers)
    }

    @Test func linesStopInTheMidstOfAChunkWhenTheyAreNotWanted() {
        let source = PublishSubject<ByteChunk>()
        let log = EventLog { dispose in source.lines().do(onNext: { if $0 == "b" { dispose() } }) }
        source.onNext(ByteChunk("a\nb\nc\n"))
        #expect(log.text == "a")
        #expect(!source.hasObservers)
    }

    #if TRACE_RESOURCES
        /// In a process of its own, since the count is the process's.
        @Test func nothingIsLeftOfTheOperatorWhenItsSourceVanishes() async {
            await #expect(processExitsWith: .success) {
                let before = Resources.total
                do {
                    let source = PublishSubject<ByteChunk>()
                    _ = source.lines().subscribe()
                    source.onNext(ByteChunk("a"))
                }
                precondition(Resources.total == before, "\(Resources.census())")
            }
        }
    #endif
}
