// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct LinesTests {
    @Test("The operator splits any sequence of chunks, anew for each subscription") func anyStream() {
        let chunks = Observable.of(ByteChunk("a\nb"), ByteChunk("c\n"), ByteChunk("d"))
        #expect(events(of: chunks.lines()) == ["a", "bc", "d", "completed"])
        #expect(events(of: chunks.lines().take(1).concat(chunks.lines())) == ["a", "a", "bc", "d", "completed"])
    }

    @Test("An error of the source drops the unfinished line") func failingSource() {
        let source = sequence(ByteChunk("a\nhal"), error: .expected)
        #expect(events(of: source.lines()) == ["a", "error(expected)"])
    }

    @Test("A line that is too long is an error and ends the subscription to the source") func tooLong() {
        let source = PublishSubject<ByteChunk>()
        let log = EventLog(source.lines(maximumLength: 3))
        source.onNext(ByteChunk("abc\nabcd\ne"))
        #expect(log.lines.first == "abc" && log.lines.count == 2 && log.lines[1].contains("errno \(EMSGSIZE)"))
        #expect(!source.hasObservers)
    }

    @Test("No further line of a chunk follows a dispose") func disposedInChunk() {
        let source = PublishSubject<ByteChunk>()
        let log = EventLog { dispose in source.lines().do(onNext: { if $0 == "b" { dispose() } }) }
        source.onNext(ByteChunk("a\nb\nc\n"))
        #expect(log.text == "a")
        #expect(!source.hasObservers)
    }

    /// The race: another thread disposes of the subscription while the source sends another chunk.
    @Test("A chunk that the source sends after the dispose is dropped") func chunkAfterDispose() {
        final class Held: Source {
            func start() {}
            func quiesce() {}

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

    #if TRACE_RESOURCES
        /// Runs in a process of its own, since the count is the process's.
        @Test("The operator is released with a source that never ends") func releasedSource() async {
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
