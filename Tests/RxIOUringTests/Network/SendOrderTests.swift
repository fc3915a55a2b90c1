// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// The order of work that a loop does after it has seen another thread's submission, as when a subject passes events from
/// thread to thread.
@Suite struct SendOrderTests {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Runs a body with the idle connection of a server, and its peer.
    private func withConnection(_ backend: Backend, _ body: (Connection, PlainSocket) throws -> Void) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            try body(try #require(server.firstConnection()), peer)
            peer.close()
            server.end()
        }
    }

    @Test("A send on the loop follows an earlier send of another thread", arguments: Backend.built)
    func send(_ backend: Backend) throws {
        try withConnection(backend) { connection, peer in
            connection.scheduler.run(after: { connection.send("first ") }) { connection.send("second") }
            #expect(text(peer.receive(12)) == "first second")
        }
    }

    @Test("Closing on the loop follows an earlier send of another thread", arguments: Backend.built)
    func close(_ backend: Backend) throws {
        try withConnection(backend) { connection, peer in
            connection.scheduler.run(after: { connection.send("first") }) { connection.close() }
            #expect(text(peer.receive(6)) == "first")
        }
    }

    @Test("Ending the output on the loop follows an earlier send of another thread", arguments: Backend.built)
    func shutdownOutput(_ backend: Backend) throws {
        try withConnection(backend) { connection, peer in
            connection.scheduler.run(after: { connection.send("first") }) { connection.shutdownOutput() }
            #expect(text(peer.receive(6)) == "first")
        }
    }

    @Test("Closing on the loop follows an earlier write of another thread", arguments: Backend.built)
    func closeAfterWrite(_ backend: Backend) throws {
        try withConnection(backend) { connection, peer in
            let log = EventLog()
            connection.scheduler.run {
                _ = connection.write(ByteChunk("first")).subscribe(
                    onCompleted: { log.note("completed") }, onError: { log.note("\($0)") })
            } _: {
                connection.close()
            }
            #expect(text(peer.receive(6)) == "first")
            #expect(waitUntil { log.text == "completed" })
        }
    }

    /// The closing waits behind the work that another thread has submitted.
    @Test("No chunk is received after the loop has closed the connection", arguments: Backend.built)
    func closeInReceive(_ backend: Backend) throws {
        try withConnection(backend) { connection, peer in
            let log = EventLog()
            let (isReceiving, isHandedOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            _ = connection.received.subscribe(
                onNext: { chunk in
                    log.note("\(chunk.count)")
                    isReceiving.signal()
                    isHandedOver.wait()
                    connection.close()
                }, onCompleted: { log.note("completed") })
            peer.send([1])
            isReceiving.wait()
            peer.send([2])
            connection.shutdownOutput()
            isHandedOver.signal()
            #expect(waitUntil { log.text == "1 completed" })
        }
    }

    @Test("Closing a UDP socket on the loop follows an earlier send of another thread", arguments: Backend.built)
    func closeSocket(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let receiver = try UDP.bind(port: 0, scheduler: scheduler)
            let sender = try UDP.bind(port: 0, scheduler: scheduler)
            let log = EventLog()
            let subscription = receiver.received.subscribe(onNext: { log.note(String($0.bytes)) })
            scheduler.run(after: { sender.send(ByteChunk("first"), to: receiver.address) }) {
                sender.send(ByteChunk("second"), to: receiver.address)
                sender.close()
            }
            #expect(waitUntil { log.text == "first second" })
            #expect(waitUntil { !sender.send(ByteChunk("late"), to: receiver.address) })
            subscription.dispose()
            scheduler.shutdown()
        }
    }

    // MARK: Before the loop has seen the new object

    /// The fault: a connection that its loop has not opened yet rejects everything, and is never closed.
    @Test("A connection can be used on its loop as soon as another thread has made it", arguments: Backend.built)
    func newConnection(_ backend: Backend) throws {
        try leavingNothingBehind {
            let group = IOUringSchedulerGroup(count: 1, backend: backend)
            let scheduler = group.schedulers[0]
            let acceptor = IOUringScheduler(backend: backend)
            let listener = try TCP.listener(port: 0, connectionSchedulers: group, scheduler: acceptor)
            let log = EventLog()
            let accepted = Guarded<Connection?>(nil)
            let connections = listener.connections.subscribe(onNext: { accepted.value = $0 })
            let peer = Guarded<PlainSocket?>(nil)
            scheduler.run {
                peer.value = PlainSocket(connectedTo: listener.address)
                #expect(waitUntil { accepted.value != nil })
            } _: {
                let connection = accepted.value!
                _ = connection.closed.subscribe(onCompleted: { log.note("closed") }, onError: { log.note("\($0)") })
                // They may come in pieces.
                let bytes = Guarded("")
                _ = connection.received.subscribe(onNext: { chunk in
                    bytes.change { $0 += String(chunk) }
                    if bytes.value.count < 5 { return }
                    log.note(bytes.value)
                    connection.send(" second")
                    connection.close()
                })
                #expect(connection.send("first"))
                accepted.value = nil
            }
            let plain = try #require(peer.value)
            #expect(text(plain.receive(5)) == "first")
            plain.send(Array("hello".utf8))
            #expect(text(plain.receive(8)) == " second")
            #expect(waitUntil { log.text == "hello closed" }, "\(log.text)")
            plain.close()
            peer.value = nil
            connections.dispose()
            group.shutdown()
            acceptor.shutdown()
        }
    }

    /// The fault: the loop opens the socket after the closing, and it stays open.
    @Test("A UDP socket can be closed on its loop as soon as another thread has made it", arguments: Backend.built)
    func newSocket(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let receiver = try UDP.bind(port: 0, scheduler: scheduler)
            let log = EventLog()
            let subscription = receiver.received.subscribe(onNext: { log.note(String($0.bytes)) })
            let descriptors = descriptorCount()
            let sender = Guarded<UDPSocket?>(nil)
            scheduler.run(after: { sender.value = try? UDP.bind(port: 0, scheduler: scheduler) }) {
                sender.value?.send(ByteChunk("first"), to: receiver.address)
                sender.value?.close()
                sender.value = nil
            }
            #expect(waitUntil { log.text == "first" })
            #expect(waitUntil { descriptorCount() == descriptors })
            subscription.dispose()
            scheduler.shutdown()
        }
    }
}
