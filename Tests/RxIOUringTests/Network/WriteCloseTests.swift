// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct WriteCloseTests {
    /// The race: the loop sends the bytes and closes, while another thread completes the source of a write.
    @Test("A write whose source had completed before the close succeeds", arguments: Backend.built)
    func completedBefore(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let failures = EventLog()
            for round in 0..<stepCount(2_000, debug: 500) {
                let peer = PlainSocket(connectedTo: server.address)
                #expect(waitUntil { !server.connections.value.isEmpty })
                guard let connection = server.connections.change({ $0.popLast() }) else { return }
                let source = PublishSubject<ByteChunk>()
                let result = Guarded("")
                let subscription = connection.write(source).subscribe(
                    onCompleted: { result.value = "completed" }, onError: { result.value = "\($0)" })
                #expect(waitUntil { source.hasObservers })
                let hasCompleted = AtomicCounter(0)
                race(
                    {
                        source.onNext(ByteChunk([1, 2, 3]))
                        source.onCompleted()
                        hasCompleted.increment()
                    },
                    {
                        spin { hasCompleted.value != 0 }
                        jitter(round)
                        connection.close()
                    })
                #expect(peer.receive(4) == [1, 2, 3])
                #expect(waitUntil { result.value != "" })
                if result.value != "completed" { failures.note(result.value) }
                subscription.dispose()
            }
            #expect(failures.lines == [])
            server.end()
        }
    }

    /// The race: the close comes between the last chunk of the source and its completion.
    @Test("A write beside a close tells whether its bytes were rejected", arguments: Backend.built)
    func beside(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let failures = EventLog()
            for round in 0..<stepCount(2_000, debug: 500) {
                let peer = PlainSocket(connectedTo: server.address)
                #expect(waitUntil { !server.connections.value.isEmpty })
                guard let connection = server.connections.change({ $0.popLast() }) else { return }
                let source = PublishSubject<ByteChunk>()
                let result = Guarded("")
                let isOver = AtomicCounter(0)
                let subscription = connection.write(source).subscribe(
                    onCompleted: { result.value = "completed" }, onError: { result.value = "\(code($0))" })
                #expect(waitUntil { source.hasObservers })
                race(
                    {
                        source.onNext(ByteChunk([1, 2, 3]))
                        source.onCompleted()
                        isOver.increment()
                    },
                    {
                        jitter(round)
                        connection.close()
                    })
                let count = peer.receive(4).count
                #expect(waitUntil { result.value != "" })
                // A close in front of the completion fails the write, whether or not its chunks were sent.
                let isRight = count == 3 || ["\(ENOTCONN)", "\(ECANCELED)"].contains(result.value)
                if !isRight { failures.note("\(count) bytes, \(result.value)") }
                subscription.dispose()
            }
            #expect(failures.lines == [])
            server.end()
        }
    }

    /// The subscribers of `closed` and the write are told in any order.
    @Test("A write whose source completes before it is told of the close succeeds", arguments: Backend.built)
    func completedByClose(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let results = EventLog()
            // On a busy machine one order may come many times in a row.
            for round in 1...2_000 where round <= 30 || !results.lines.contains("completed") {
                let peer = PlainSocket(connectedTo: server.address)
                #expect(waitUntil { !server.connections.value.isEmpty })
                guard let connection = server.connections.change({ $0.popLast() }) else { return }
                let source = PublishSubject<ByteChunk>()
                let subscription = connection.write(source).subscribe(
                    onCompleted: { results.note("completed") }, onError: { results.note("\(code($0))") })
                let closed = connection.closed.subscribe(onCompleted: { source.onCompleted() })
                #expect(waitUntil { source.hasObservers })
                source.onNext(ByteChunk([1, 2, 3]))
                connection.close()
                #expect(peer.receive(4) == [1, 2, 3])
                #expect(waitUntil { results.lines.count == round })
                subscription.dispose()
                closed.dispose()
            }
            #expect(Set(results.lines).subtracting(["\(ECANCELED)"]) == ["completed"])
            server.end()
        }
    }
}
