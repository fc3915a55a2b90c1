// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// The errors of sockets that cannot do as they are asked (law L10).
@Suite struct RejectionTests {
    /// The errors of rejected sends during the life of this object.
    private final class RejectedSends {
        private let codes = Guarded<[CInt]>([])
        private let before = IOHooks.sendRejectedHandler

        init() { IOHooks.sendRejectedHandler = { [codes] error, _ in codes.change { $0.append(error.code) } } }

        deinit { IOHooks.sendRejectedHandler = before }

        var value: [CInt] { codes.value }
    }

    /// The end of a sequence as text, or "nothing" if it does not end in time.
    private func ending<Element>(_ source: Observable<Element>) -> String {
        let receiver = Receiver(source)
        guard receiver.wait(seconds: 10) else { return "nothing" }
        return (receiver.error as? IOError).map { "\($0.operation) \($0.code)" } ?? "completed"
    }

    @Test("Datagrams beyond the send limit are rejected and reported", arguments: Backend.built)
    func datagramLimit(_ backend: Backend) throws {
        let rejected = RejectedSends()
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let socket = try UDP.bind(port: 0, sendLimit: 100, scheduler: scheduler)
            let (begun, gate) = (OneShot(), OneShot())
            _ = scheduler.schedule(()) {
                begun.fire()
                _ = gate.wait()
                return Disposables.create()
            }
            #expect(begun.wait())
            let bytes = ByteChunk(pattern(60))
            #expect(socket.send(bytes, to: socket.address))
            #expect(!socket.send(bytes, to: socket.address))
            #expect(rejected.value == [ENOBUFS])
            #expect(socket.queuedBytes == 60)
            gate.fire()
            #expect(waitUntil { socket.queuedBytes == 0 })
            #expect(socket.send(bytes, to: socket.address))
            scheduler.shutdown()
        }
        #expect(rejected.value == [ENOBUFS])
    }

    @Test("A connected socket fails if its peer is missing", arguments: Backend.built)
    func missingPeer(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let socket = try UDP.bind(port: 0, scheduler: scheduler)
            let missing = try UDP.bind(port: 0, scheduler: scheduler)
            try socket.connect(to: missing.address)
            missing.close()
            // The loop has done all its work for the closed socket.
            _ = scheduler.performAndWait { 0 }
            let receiver = Receiver(socket.received)
            socket.send(ByteChunk("x"))
            #expect(receiver.wait())
            #expect(
                receiver.error as? IOError
                    == IOError(code: ECONNREFUSED, operation: "receive", subject: "\(socket.address)"))
            scheduler.shutdown()
        }
    }

    @Test("A second subscriber is rejected, and one after the end receives the end", arguments: Backend.built)
    func secondSubscriber(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let socket = try UDP.bind(port: 0, scheduler: scheduler)
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            let accepted = Guarded<Connection?>(nil)
            let accepting = listener.connections.subscribe(onNext: { accepted.value = $0 })
            let peer = PlainSocket(connectedTo: listener.address)
            #expect(waitUntil { accepted.value != nil })
            let connection = accepted.exchange(nil)!
            let firsts = [socket.received.subscribe(), connection.received.subscribe()]
            #expect(ending(socket.received) == "receive \(EBUSY)")
            #expect(ending(connection.received) == "receive \(EBUSY)")
            #expect(ending(listener.connections) == "accept \(EBUSY)")
            socket.close()
            connection.close()
            #expect(ending(socket.received) == "completed")
            #expect(ending(connection.received) == "completed")
            #expect(ending(connection.closed.asObservable()) == "completed")
            for subscription in firsts + [accepting] { subscription.dispose() }
            peer.close()
            scheduler.shutdown()
        }
    }

    @Test("A loop that was shut down rejects sends, receives and connects", arguments: Backend.built)
    func deadLoop(_ backend: Backend) throws {
        let rejected = RejectedSends()
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            scheduler.shutdown()
            let socket = try UDP.bind(port: 0, scheduler: scheduler)
            #expect(!socket.send(ByteChunk("x"), to: socket.address))
            #expect(throws: IOError(code: EBADF, operation: "connect", subject: "\(socket.address)")) {
                try socket.connect(to: socket.address)
            }
            #expect(ending(socket.received) == "event loop shut down \(ECANCELED)")
            #expect(
                ending(TCP.connect(to: socket.address, scheduler: scheduler).asObservable())
                    == "event loop shut down \(ECANCELED)")
        }
        #expect(rejected.value == [ECANCELED])
    }

    /// The loop of the listener lives, and the loop of the connection does not. The fault: the peer saw a clean end, as of a whole answer without bytes.
    @Test("A connection for a loop that was shut down is reset", arguments: Backend.built)
    func deadGroup(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let group = IOUringSchedulerGroup(count: 1, backend: backend)
            group.shutdown()
            let listener = try TCP.listener(port: 0, connectionSchedulers: group, scheduler: scheduler)
            let sent = Guarded<Bool?>(nil)
            let accepting = listener.connections.subscribe(onNext: { sent.value = $0.send("x") })
            let peer = PlainSocket(connectedTo: listener.address)
            let (bytes, end) = receiveAll(peer)
            #expect(bytes == [] && end == ECONNRESET)
            #expect(waitUntil { sent.value == false })
            accepting.dispose()
            scheduler.shutdown()
        }
    }

    @Test("An invalid address is an error of the sequence", arguments: Backend.built)
    func invalidAddress(_ backend: Backend) throws {
        leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            func connect(_ port: Int) -> Observable<Connection> {
                TCP.connect(host: "127.0.0.1", port: port, scheduler: scheduler).asObservable()
            }
            #expect(ending(connect(0)) == "connect \(EINVAL)")
            #expect(ending(connect(65_536)) == "connect \(EINVAL)")
            let long = String(repeating: "x", count: 200)
            #expect(ending(Unix.connect(path: long, scheduler: scheduler).asObservable()) == "address \(ENAMETOOLONG)")
            #expect(
                ending(SocketAddress.resolve(host: "127.0.0.1", port: -1, scheduler: scheduler).asObservable())
                    == "resolve \(EINVAL)")
            #expect(ending(TCP.listen(host: "nowhere", port: 0, scheduler: scheduler)) == "address \(EINVAL)")
            // C would cut these addresses off at the NUL character.
            #expect(throws: IOError.self) { try SocketAddress(ip: "127.0.0.1\0x", port: 1) }
            #expect(throws: IOError.self) { try SocketAddress(ip: "::1\0x", port: 1) }
            #expect(
                ending(SocketAddress.resolve(host: "localhost\0x", port: 1, scheduler: scheduler).asObservable())
                    == "resolve \(EINVAL)")
            scheduler.shutdown()
        }
    }
}
