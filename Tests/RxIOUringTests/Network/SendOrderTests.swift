import Dispatch
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// What a loop does knowing what another thread has handed over to it before, as when a subject hands events on from thread to
/// thread.
@Suite struct SendOrderTests {
    typealias Backend = IOUringScheduler.Backend

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// A connection of a server, with nothing under way.
    private func withConnection(_ backend: Backend, _ body: (Connection, PlainSocket) throws -> Void) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            try body(try #require(server.firstConnection()), peer)
            peer.close()
            server.end()
        }
    }

    @Test(arguments: Backend.built)
    func aSendOnTheLoopComesBehindAnEarlierOneOfAnotherThread(_ backend: Backend) throws {
        try withConnection(backend) { connection, peer in
            connection.scheduler.run(after: { connection.send("first ") }) { connection.send("second") }
            #expect(text(peer.receive(12)) == "first second")
        }
    }

    @Test(arguments: Backend.built)
    func closingOnTheLoopComesBehindAnEarlierSendOfAnotherThread(_ backend: Backend) throws {
        try withConnection(backend) { connection, peer in
            connection.scheduler.run(after: { connection.send("first") }) { connection.close() }
            #expect(text(peer.receive(6)) == "first")
        }
    }

    @Test(arguments: Backend.built)
    func shuttingDownOutputOnTheLoopComesBehindAnEarlierSendOfAnotherThread(_ backend: Backend) throws {
        try withConnection(backend) { connection, peer in
            connection.scheduler.run(after: { connection.send("first") }) { connection.shutdownOutput() }
            #expect(text(peer.receive(6)) == "first")
        }
    }

    @Test(arguments: Backend.built)
    func closingOnTheLoopComesBehindAnEarlierWriteOfAnotherThread(_ backend: Backend) throws {
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

    /// Nothing comes any more where the loop itself has closed, also while the closing waits behind other work.
    @Test(arguments: Backend.built)
    func nothingIsReceivedAfterClosingOnTheLoop(_ backend: Backend) throws {
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

    @Test(arguments: Backend.built)
    func closingASocketOnTheLoopComesBehindAnEarlierSendOfAnotherThread(_ backend: Backend) throws {
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

    // MARK: Before the loop has heard of it

    /// The fault: a connection that its loop has not taken over yet rejected everything, and was never closed.
    @Test(arguments: Backend.built)
    func aConnectionCanBeUsedOnItsLoopAsSoonAsAnotherThreadHasMadeIt(_ backend: Backend) throws {
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
                _ = connection.received.subscribe(onNext: { chunk in
                    log.note(String(chunk))
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

    /// The fault: it was opened after it had been closed, and stayed open.
    @Test(arguments: Backend.built)
    func aSocketCanBeUsedAndClosedOnItsLoopAsSoonAsAnotherThreadHasMadeIt(_ backend: Backend) throws {
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
