// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct ConnectionTests {
    @Test("An echo returns all bytes in order", arguments: Backend.built)
    func echo(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server.echo(backend)
            let peer = PlainSocket(connectedTo: server.address)
            for length in [1, 64, 1_000, 16_384, 16_385, 100_000] {
                let bytes = pattern(length)
                peer.send(bytes)
                #expect(difference(peer.receive(length), bytes) == nil)
            }
            peer.close()
            server.end()
        }
    }

    @Test("Both ends of a connection can be on event loops", arguments: Backend.built)
    func bothEnds(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server.echo(backend)
            let scheduler = IOUringScheduler(backend: backend)
            let received = Guarded<[UInt8]>([])
            let isClosed = Guarded(false)
            let text = "hello, world"
            _ = TCP.connect(host: "localhost", port: server.address.port, scheduler: scheduler).subscribe(
                onSuccess: { connection in
                    #expect(connection.remoteAddress == server.address)
                    #expect(scheduler.isCurrent)
                    _ = connection.received.subscribe(
                        onNext: { chunk in
                            received.change { $0 += chunk }
                            if received.value.count == text.utf8.count { connection.shutdownOutput() }
                        }, onDisposed: { isClosed.value = true })
                    connection.send(text)
                }, onFailure: { Issue.record("\($0)") })
            #expect(waitUntil { isClosed.value })
            #expect(String(decoding: received.value, as: UTF8.self) == text)
            scheduler.shutdown()
            server.end()
        }
    }

    @Test("A peer that closes its output still receives every byte", arguments: Backend.built)
    func halfClose(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend) { connection in
                let all = Guarded<[UInt8]>([])
                _ = connection.received.subscribe(
                    onNext: { chunk in all.change { $0 += chunk } },
                    onCompleted: { connection.send(ByteChunk(all.value.reversed())) })
            }
            let peer = PlainSocket(connectedTo: server.address)
            let bytes = pattern(300_000)
            peer.send(bytes)
            peer.shutdownOutput()
            #expect(peer.receive(bytes.count + 1) == bytes.reversed())
            server.end()
        }
    }

    @Test("A large transfer passes through tiny socket buffers", arguments: Backend.built)
    func tinyBuffers(_ backend: Backend) throws {
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.sendBufferSize = 4_096
            options.receiveBufferSize = 4_096
            options.sendLimit = 16 << 20
            let server = try Server.echo(backend, options: options)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            let bytes = pattern(4 << 20)
            let sender = DispatchQueue(label: "sender")
            sender.async {
                peer.send(bytes)
                peer.shutdownOutput()
            }
            #expect(difference(peer.receive(bytes.count + 1), bytes) == nil)
            sender.sync {}
            server.end()
        }
    }

    @Test("The sends of one thread keep their order", arguments: Backend.built)
    func sendOrder(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let count = 20_000
            let sender = DispatchQueue(label: "sender")
            sender.async {
                for number in 0..<count {
                    let bytes = withUnsafeBytes(of: UInt32(number)) { ByteChunk(copying: $0) }
                    while !connection.send(bytes) { usleep(100) }
                }
                connection.close()
            }
            let all = peer.receive(4 * count + 1)
            #expect(all.count == 4 * count)
            let numbers = all.withUnsafeBytes { raw in
                (0..<raw.count / 4).map { raw.load(fromByteOffset: 4 * $0, as: UInt32.self) }
            }
            #expect(numbers == (0..<UInt32(count)).map { $0 })
            sender.sync {}
            server.end()
        }
    }

    @Test("A reset by the peer is an error", arguments: Backend.built)
    func reset(_ backend: Backend) throws {
        try leavingNothingBehind {
            let errors = Guarded<[CInt]>([])
            let server = try Server(backend) { connection in
                _ = connection.received.subscribe(onError: { error in errors.change { $0.append(code(error)) } })
                _ = connection.closed.subscribe(onError: { error in errors.change { $0.append(code(error)) } })
            }
            let peer = PlainSocket(connectedTo: server.address)
            peer.send(pattern(100))
            usleep(20_000)
            peer.reset()
            #expect(waitUntil { errors.value == [ECONNRESET, ECONNRESET] })
            server.end()
        }
    }

    /// The loop subscribes to the source, whose `subscribe` does not return by itself.
    @Test("An endless source ends when its bytes are rejected", arguments: Backend.built)
    func endlessSource(_ backend: Backend) throws {
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.sendLimit = 100_000
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            let connection = try #require(server.firstConnection())
            let log = EventLog()
            let subscription = connection.write(.repeatElement(ByteChunk(pattern(1_000))))
                .subscribe(onError: { log.note("\(code($0) == ENOBUFS)") })
            #expect(waitUntil { log.lines == ["true"] })
            subscription.dispose()
            peer.close()
            // The source has no byte that could be queued or rejected.
            let other = PlainSocket(connectedTo: server.address)
            #expect(waitUntil { server.connections.value.count == 2 })
            let empty = server.connections.value[1].write(.repeatElement(ByteChunk(EmptyCollection()))).subscribe()
            usleep(10_000)
            empty.dispose()
            #expect(connection.scheduler.performAndWait { true })
            other.close()
            server.end()
        }
    }

    @Test("A write completes when its bytes are sent", arguments: Backend.built)
    func write(_ backend: Backend) throws {
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.sendBufferSize = 4_096
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            let connection = try #require(server.firstConnection())
            let log = EventLog()
            let bytes = pattern(1 << 20)
            let writing = connection.write(ByteChunk(bytes)).subscribe(onCompleted: { log.note("written") })
            usleep(20_000)
            #expect(log.lines == [])
            #expect(difference(peer.receive(bytes.count), bytes) == nil)
            #expect(waitUntil { log.lines == ["written"] })
            writing.dispose()
            server.end()
        }
    }

    @Test("A file is written without being queued", arguments: Backend.built)
    func fileWrite(_ backend: Backend) throws {
        let path = "/proc/self/exe"
        var status = stat()
        #expect(stat(path, &status) == 0)
        let size = min(Int(status.st_size), 8 << 20)
        try leavingNothingBehind {
            let server = try Server(backend) { connection in
                _ = connection.write(
                    File.read(path, chunkSize: 64 * 1_024, scheduler: connection.scheduler)
                        .take(size / (64 * 1_024))
                ).subscribe(onError: { Issue.record("\($0)") })
            }
            let peer = PlainSocket(connectedTo: server.address)
            let expected = size / (64 * 1_024) * 64 * 1_024
            #expect(peer.receive(expected + 1).count == expected)
            server.end()
        }
    }

    @Test("A slow subscriber slows the peer down", arguments: Backend.built)
    func slowSubscriber(_ backend: Backend) throws {
        try leavingNothingBehind {
            let emitted = Guarded(0)
            let received = Guarded<[UInt8]>([])
            let queue = BlockedQueue()
            var options = ConnectionOptions()
            options.receiveWindow = 3
            options.receiveBufferSize = 8_192
            let server = try Server(backend, options: options) { connection in
                _ = connection.received.do(onNext: { chunk in emitted.change { $0 += chunk.count } })
                    .observe(on: queue.scheduler)
                    .subscribe(onNext: { chunk in received.change { $0 += chunk } })
            }
            let peer = PlainSocket(connectedTo: server.address)
            let bytes = pattern(8 << 20)
            let sender = DispatchQueue(label: "sender")
            sender.async {
                peer.send(bytes)
                peer.shutdownOutput()
            }
            #expect(waitUntil { emitted.value > 1 << 16 })
            usleep(100_000)
            #expect(emitted.value < 3 << 20)
            queue.open()
            #expect(waitUntil { received.value.count == bytes.count })
            #expect(difference(received.value, bytes) == nil)
            sender.sync {}
            server.end()
        }
    }

    @Test("Bytes that arrive between two subscribers go to the second", arguments: Backend.built)
    func betweenSubscribers(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let log = EventLog()
            let first = connection.received.take(1).subscribe(onNext: { log.note(String($0)) })
            peer.send(Array("1".utf8))
            #expect(waitUntil { log.text == "1" })
            let second = connection.received.subscribe()
            let third = connection.received.subscribe(onError: { log.note("busy \(code($0) == EBUSY)") })
            #expect(waitUntil { log.lines.count == 2 })
            second.dispose()
            peer.send(Array("2".utf8))
            usleep(20_000)
            let last = connection.received.subscribe(
                onNext: { log.note(String($0)) }, onCompleted: { log.note("completed") })
            #expect(waitUntil { log.lines.count == 3 })
            peer.close()
            #expect(waitUntil { log.text == "1 busy true 2 completed" })
            for disposable in [first, second, third, last] { disposable.dispose() }
            server.end()
        }
    }

    @Test(
        "The subscriber of a header may hand over to that of the rest, in or behind its last event",
        arguments: Backend.built)
    func handOver(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let ways: [(Connection) -> Observable<ByteChunk>] = [
                { $0.received.first().asObservable().flatMap { [received = $0.received] _ in received } },
                { $0.received.take(1).flatMap { [received = $0.received] _ in received } },
                { $0.received.take(1).toArray().asObservable().flatMap { [received = $0.received] _ in received } },
            ]
            for way in ways {
                let peer = PlainSocket(connectedTo: server.address)
                let connection = try #require(server.firstConnection())
                server.connections.value = []
                let log = EventLog()
                let subscription = way(connection).subscribe(
                    onNext: { log.note(String($0)) }, onError: { log.note("\($0)") }, onCompleted: { log.note("end") })
                peer.send(Array("header".utf8))
                usleep(20_000)
                peer.send(Array("body".utf8))
                #expect(waitUntil { log.text.contains("body") }, "\(log.text)")
                peer.close()
                #expect(waitUntil { log.text.hasSuffix("end") }, "\(log.text)")
                subscription.dispose()
            }
            server.end()
        }
    }

    @Test("A connection that is released is closed", arguments: Backend.built)
    func released(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend) { $0.send("bye") }
            let peer = PlainSocket(connectedTo: server.address)
            #expect(peer.receive(100) == Array("bye".utf8))
            server.end()
        }
    }

    @Test("Closing inside the observer nests no event", arguments: Backend.built)
    func closeInObserver(_ backend: Backend) throws {
        try leavingNothingBehind {
            let log = EventLog()
            let server = try Server(backend) { connection in
                _ = log.observe(connection.received.map { String($0) }) { event in
                    if case .next = event {
                        connection.close()
                        log.note("closed")
                    }
                }
                _ = connection.closed.subscribe(onCompleted: { log.note("gone") })
            }
            let peer = PlainSocket(connectedTo: server.address)
            peer.send([65])
            #expect(peer.receive(1).isEmpty)
            #expect(waitUntil { log.text == "A closed completed gone" }, "\(log.text)")
            #expect(!log.hasOverlapped)
            server.end()
        }
    }

    @Test("Shutting the loop down ends its connections", arguments: Backend.built)
    func shutdown(_ backend: Backend) throws {
        try leavingNothingBehind {
            let codes = Guarded<[CInt]>([])
            let server = try Server(backend, keeps: true) { connection in
                _ = connection.received.subscribe(onError: { error in codes.change { $0.append(code(error)) } })
            }
            let peers = (0..<50).map { _ in PlainSocket(connectedTo: server.address) }
            #expect(waitUntil { server.connections.value.count == 50 })
            let connection = server.connections.value[0]
            server.scheduler.shutdown()
            #expect(codes.value == Array(repeating: ECANCELED, count: 50))
            #expect(!connection.send("too late"))
            for peer in peers { #expect(peer.receive(1).isEmpty) }
            server.end()
        }
    }
}
