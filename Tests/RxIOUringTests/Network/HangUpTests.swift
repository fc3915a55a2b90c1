// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// A connection learns that it is broken also while it does not receive.
@Suite struct HangUpTests {
    /// Notes how a connection ends: `completed`, or the errno.
    private func end(of connection: Connection) -> EventLog {
        let log = EventLog()
        _ = connection.closed.subscribe(onCompleted: { log.note("completed") }, onError: { log.note("\(code($0))") })
        return log
    }

    @Test("A reset ends a connection without a subscriber", arguments: Backend.built, [false, true])
    func resetUnobserved(_ backend: Backend, sendsFirst: Bool) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let log = end(of: try #require(server.firstConnection()))
            if sendsFirst { peer.send(pattern(100)) }
            usleep(20_000)
            peer.reset()
            #expect(waitUntil(within: 5) { log.text == "\(ECONNRESET)" }, "\(log.text)")
            server.end()
        }
    }

    @Test("A reset ends a connection whose subscriber has left", arguments: Backend.built)
    func resetAfterSubscriber(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let log = end(of: connection)
            let hasCome = Guarded(false)
            let subscription = connection.received.subscribe(onNext: { _ in hasCome.value = true })
            peer.send([1])
            #expect(waitUntil { hasCome.value })
            subscription.dispose()
            // The receive in flight takes these; then nothing is in flight.
            peer.send([2])
            usleep(20_000)
            peer.send([3])
            usleep(20_000)
            peer.reset()
            #expect(waitUntil(within: 5) { log.text == "\(ECONNRESET)" }, "\(log.text)")
            server.end()
        }
    }

    /// The bytes that came before the reset are delivered, as the stages below accept them in a pause.
    @Test("A reset reaches a source that is paused, behind its bytes", arguments: Backend.built)
    func resetWhilePaused(_ backend: Backend) async throws {
        try await leavingNothing(backend) { _, scheduler in
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let log = end(of: connection)
            let queue = BlockedQueue()
            let (emitted, consumed) = (Guarded(0), Guarded(0))
            let received = Received<Int>(
                connection.received.do(onNext: { chunk in emitted.change { $0 += chunk.count } })
                    .observe(on: queue.scheduler).map { chunk in
                        consumed.change { $0 += chunk.count }
                        return 0
                    })
            let sent = Guarded(0)
            let sender = DispatchQueue(label: "sender")
            sender.async {
                let block = pattern(16_384)
                _ = fcntl(peer.fd, F_SETFL, fcntl(peer.fd, F_GETFL) | O_NONBLOCK)
                for _ in 0..<4_000 {
                    let count = block.withUnsafeBytes {
                        Glibc.send(peer.fd, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                    }
                    if count > 0 { sent.change { $0 += count } } else { usleep(200) }
                    if sent.value > 3 << 20 { return }
                }
            }
            sender.sync {}
            #expect(await eventually { emitted.value > 0 })
            let paused = await settled { emitted.value }
            #expect(paused < sent.value, "the source does not pause")
            peer.reset()
            #expect(await eventually { log.text == "\(ECONNRESET)" }, "\(log.text)")
            #expect(emitted.value > paused)
            queue.open()
            #expect(await received.ends())
            #expect(received.error?.code == ECONNRESET)
            #expect(consumed.value == emitted.value)
            server.end()
        }
    }

    @Test("A reset behind the end of the input ends the connection", arguments: Backend.built, [false, true])
    func resetBehindEnd(_ backend: Backend, isObserved: Bool) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let log = end(of: connection)
            let isOver = Guarded(!isObserved)
            if isObserved { _ = connection.received.subscribe(onCompleted: { isOver.value = true }) }
            peer.shutdownOutput()
            #expect(waitUntil { isOver.value })
            usleep(20_000)
            #expect(log.text == "")
            peer.reset()
            #expect(waitUntil(within: 5) { log.text == "\(ECONNRESET)" }, "\(log.text)")
            server.end()
        }
    }

    @Test("The end of the peer's output alone ends nothing, and costs no time", arguments: Backend.built)
    func halfClosed(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let log = end(of: connection)
            peer.send([1, 2, 3])
            peer.shutdownOutput()
            usleep(20_000)
            let processor = clock()
            usleep(100_000)
            #expect(Double(clock() - processor) / Double(CLOCKS_PER_SEC) < 0.05, "the loop spins")
            connection.send("still there")
            #expect(peer.receive(11) == Array("still there".utf8))
            let received = connection.received.received()
            #expect(received.wait())
            #expect(received.bytes == [1, 2, 3])
            #expect(log.text == "")
            server.end()
        }
    }

    @Test("Both ends of a connection may have finished before there is a subscriber", arguments: Backend.built, [0, 3])
    func bothFinished(_ backend: Backend, unread: Int) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let log = end(of: connection)
            connection.shutdownOutput()
            #expect(peer.receive(1).isEmpty)
            peer.send(pattern(unread))
            peer.close()
            if unread > 0 {
                usleep(50_000)
                #expect(log.text == "")
                let received = connection.received.received()
                #expect(received.wait())
                #expect(difference(received.bytes, pattern(unread)) == nil)
            }
            #expect(waitUntil(within: 5) { log.text == "completed" }, "\(log.text)")
            server.end()
        }
    }

    @Test(
        "The close of a Unix socket's peer ends the connection, but loses no bytes", arguments: Backend.built, [0, 3])
    func unixPeer(_ backend: Backend, unread: Int) throws {
        try withUnixConnection(backend) { connection, peer in
            let log = end(of: connection)
            let bytes = pattern(unread)
            Glibc.send(peer, bytes, bytes.count, 0)
            Glibc.close(peer)
            if unread > 0 {
                usleep(50_000)
                #expect(log.text == "")
                let received = connection.received.received()
                #expect(received.wait())
                #expect(difference(received.bytes, bytes) == nil)
            }
            #expect(waitUntil(within: 5) { log.text == "completed" }, "\(log.text)")
        }
    }

    @Test("A connection whose output has failed ends when its subscriber leaves", arguments: Backend.built)
    func failedOutput(_ backend: Backend) throws {
        try withUnixConnection(backend) { connection, peer in
            let log = end(of: connection)
            let first = connection.received.received()
            shutdown(peer, CInt(SHUT_RD))
            connection.send("x")
            #expect(waitUntil { !connection.send("y") })
            // A subscriber that comes in the same tick as the other leaves receives on.
            let second = Guarded<Receiver<[UInt8]>?>(nil)
            connection.scheduler.performAndWait {
                first.dispose()
                second.value = connection.received.received()
            }
            Glibc.send(peer, [7], 1, 0)
            #expect(waitUntil { second.value?.bytes == [7] })
            #expect(log.text == "")
            second.value?.dispose()
            #expect(waitUntil(within: 5) { log.text == "\(EPIPE)" }, "\(log.text)")
            Glibc.close(peer)
        }
    }

    /// Lends a connection between Unix sockets, and the descriptor of its peer, which the body closes.
    private func withUnixConnection(_ backend: Backend, _ body: (Connection, CInt) throws -> Void) throws {
        let folder = TemporaryFolder()
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try Unix.listener(path: folder["s"], scheduler: scheduler)
            let accepted = Guarded<Connection?>(nil)
            let subscription = listener.connections.subscribe(onNext: { accepted.value = $0 })
            let peer = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: folder["s"].utf8) }
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(peer, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(status == 0)
            #expect(waitUntil { accepted.value != nil })
            if let connection = accepted.exchange(nil) { try body(connection, peer) }
            subscription.dispose()
            scheduler.shutdown()
        }
    }
}
