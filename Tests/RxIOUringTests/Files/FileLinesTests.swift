import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct FileLinesTests {
    @Test(arguments: IOUringScheduler.Backend.built)
    func theLinesOfAFileComeInOrder(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let lines = (0..<50_000).map { "line \($0) €" }
            folder.put(Array(lines.joined(separator: "\n").utf8), into: "a")
            let received = Received(File.lines(folder["a"], scheduler: scheduler))
            #expect(await received.ends())
            #expect(received.hasCompleted && received.elements == lines)
        }
    }

    /// The race: another thread disposes of it, and the source, which has not heard of that, sends another chunk.
    @Test func aChunkBehindADisposeIsDropped() {
        final class Held: Source {
            func start() {}
            func stop() {}
        }
        nonisolated(unsafe) var sink: Sink<ByteChunk>?
        let source = SourceObservable<ByteChunk> {
            sink = $0
            return Held()
        }
        let log = Guarded<[String]>([])
        let subscription = SerialDisposable()
        subscription.disposable = source.lines().subscribe(onNext: { line in
            log.change { $0.append(line) }
            subscription.dispose()
        })
        sink?.next(ByteChunk("one\ntwo\nthree\n"))
        sink?.next(ByteChunk("four\n"))
        sink?.completed()
        #expect(log.value == ["one"])
        sink = nil
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func hugeLinesAndEmptyFiles(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            folder.put([], into: "empty")
            let none = Received(File.lines(folder["empty"], scheduler: scheduler))
            #expect(await none.ends())
            #expect(none.hasCompleted && none.elements.isEmpty)
            let huge = [UInt8](repeating: 97, count: 5_000_000)
            folder.put(huge + [10, 98], into: "huge")
            let lines = Received(File.lines(folder["huge"], maximumLength: 5_000_000, scheduler: scheduler))
            #expect(await lines.ends())
            #expect(lines.elements.map(\.utf8.count) == [5_000_000, 1])
        }
    }

    @Test(arguments: IOUringScheduler.Backend.built)
    func aLineThatIsTooLongIsAnErrorThatNamesTheFile(_ backend: IOUringScheduler.Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            folder.put(Array("short\n".utf8) + [UInt8](repeating: 97, count: 2_000_000), into: "a")
            let received = Received(File.lines(folder["a"], scheduler: scheduler))
            #expect(await received.ends())
            #expect(received.elements == ["short"])
            #expect(received.error?.code == EMSGSIZE)
            #expect(received.error?.subject.contains(folder["a"]) == true)
        }
    }
}
