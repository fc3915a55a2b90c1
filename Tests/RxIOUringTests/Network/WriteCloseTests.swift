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
                // A loop thread that is about to return from its subscribe would deliver the events, maybe behind the close.
                connection.scheduler.performAndWait {}
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

    @Test("A write whose source completes before it is told of the close succeeds", arguments: Backend.built)
    func completedByClose(_ backend: Backend) throws { try completeByClose(backend, ahead: true, "completed") }

    @Test("A write whose source completes after it is told of the close fails", arguments: Backend.built)
    func completedBehindClose(_ backend: Backend) throws { try completeByClose(backend, ahead: false, "\(ECANCELED)") }

    /// Completes the source of a write from a subscriber of `closed` that came ahead of the write or behind it.
    private func completeByClose(_ backend: Backend, ahead: Bool, _ expected: String) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let results = EventLog()
            for round in 1...30 {
                let peer = PlainSocket(connectedTo: server.address)
                #expect(waitUntil { !server.connections.value.isEmpty })
                guard let connection = server.connections.change({ $0.popLast() }) else { return }
                let source = PublishSubject<ByteChunk>()
                let closed = SerialDisposable()
                let completer = connection.closed.do(onCompleted: { source.onCompleted() })
                if ahead { closed.disposable = completer.subscribe() }
                let subscription = connection.write(source).subscribe(
                    onCompleted: { results.note("completed") }, onError: { results.note("\(code($0))") })
                if !ahead { closed.disposable = completer.subscribe() }
                #expect(waitUntil { source.hasObservers })
                source.onNext(ByteChunk([1, 2, 3]))
                connection.close()
                #expect(peer.receive(4) == [1, 2, 3])
                #expect(waitUntil { results.lines.count == round })
                subscription.dispose()
                closed.dispose()
            }
            #expect(Set(results.lines) == [expected])
            server.end()
        }
    }

    /// The fault: a completion that came behind the close of its connection, when the loop took no more work, kept write and connection alive.
    @Test(
        "A write whose source completes beside an abort and the end of the loop is released", arguments: Backend.built)
    func besideShutdown(_ backend: Backend) {
        leavingNothingBehind {
            for round in 0..<stepCount(100, debug: 60) {
                let scheduler = IOUringScheduler(backend: backend)
                let connections = Guarded<[Connection]>([])
                let peers = (0..<32).map { _ in
                    let ends = socketPair()
                    _ = Connection.adopt(ends[0], scheduler: scheduler).subscribe(
                        onSuccess: { connection in connections.change { $0.append(connection) } })
                    return ends[1]
                }
                #expect(waitUntil { connections.value.count == peers.count })
                let sources = peers.map { _ in PublishSubject<ByteChunk>() }
                let ended = AtomicCounter(0)
                for (connection, source) in zip(connections.value, sources) {
                    _ = connection.write(source).subscribe(
                        onCompleted: { ended.increment() }, onError: { _ in ended.increment() })
                }
                #expect(waitUntil { sources.allSatisfy(\.hasObservers) })
                race(
                    {
                        for source in sources {
                            jitter(round)
                            source.onCompleted()
                        }
                    },
                    {
                        for connection in connections.value { connection.abort() }
                        jitter(round / 8)
                        scheduler.shutdown()
                    })
                #expect(waitUntil { ended.value == peers.count })
                for peer in peers { close(peer) }
            }
        }
    }

    @Test("The subscribers of a close are told in the order in which they came", arguments: Backend.built)
    func inOrder(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            #expect(waitUntil { !server.connections.value.isEmpty })
            guard let connection = server.connections.change({ $0.popLast() }) else { return }
            let told = EventLog()
            let bag = CompositeDisposable()
            for number in 0..<100 {
                _ = bag.insert(connection.closed.subscribe(onCompleted: { told.note("\(number)") }))
            }
            connection.close()
            #expect(waitUntil { told.lines.count == 100 })
            #expect(told.lines == (0..<100).map { "\($0)" })
            bag.dispose()
            _ = peer
            server.end()
        }
    }
}
