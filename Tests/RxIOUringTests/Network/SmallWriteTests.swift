// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// Writes with an outcome of their own count with the memory that they take.
@Suite(.serialized) struct SmallWriteTests {
    /// Runs a body with a connection whose peer reads nothing until the body has it read.
    private func withSlowPeer(
        _ backend: Backend, sendLimit: Int = 16 << 20, _ body: (Server, PlainSocket, Connection) throws -> Void
    ) throws {
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.sendLimit = sendLimit
            let server = try Server(backend, options: options, keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            try body(server, peer, #require(server.firstConnection()))
            server.end()
        }
    }

    /// The fault: each took a slab of 4 KiB for its few bytes, and counted 128: the limit held at thirty times its memory.
    @Test("Small writes to a peer that does not read take little more memory than they count", arguments: Backend.built)
    func smallWrites(_ backend: Backend) throws {
        try withSlowPeer(backend) { server, peer, connection in
            let completed = AtomicCounter(0)
            let before = residentBytes()
            let count = stepCount(20_000, debug: 5_000)
            let piece = ByteChunk(pattern(1_000))
            // Fills the kernel's buffers.
            #expect(connection.send(ByteChunk(pattern(6_000_000))))
            for _ in 0..<count {
                _ = connection.write(piece).subscribe(onCompleted: { completed.increment() })
            }
            #expect(server.scheduler.performAndWait { connection.queuedBytes } > 0)
            if !hasSanitizer { #expect((residentBytes() - before) / count < 4_000) }
            connection.close()
            #expect(receiveAll(peer).end == 0)
            #expect(waitUntil { completed.value == count })
        }
    }

    /// The fault: the bytes counted only when the loop came to the subscription, behind the action.
    @Test("Writes within one action of the loop count at once", arguments: Backend.built)
    func writesInOneAction(_ backend: Backend) throws {
        try withSlowPeer(backend, sendLimit: 1 << 20) { server, peer, connection in
            let (errors, ends) = (AtomicCounter(0), AtomicCounter(0))
            let piece = ByteChunk(pattern(100_000))
            let queued = server.scheduler.performAndWait {
                // Behind work of another thread, the loop does not come to a subscription at once.
                DispatchQueue.global().sync { _ = server.scheduler.schedule(()) { _ in Disposables.create() } }
                for _ in 0..<200 {
                    _ = connection.write(piece)
                        .subscribe(onError: { _ in errors.increment() }, onDisposed: { ends.increment() })
                }
                return connection.queuedBytes
            }
            #expect(queued > 0 && queued < 2 << 20)
            #expect(waitUntil { ends.value == 200 })
            // The kernel may have taken the first ones.
            #expect(errors.value > 150)
            peer.close()
        }
    }

    /// The fault: they were not counted, and all of them ended in one turn of the loop.
    @Test("Writes without bytes count, and are rejected beyond the limit", arguments: Backend.built)
    func emptyWrites(_ backend: Backend) throws {
        try withSlowPeer(backend, sendLimit: 8 << 20) { server, peer, connection in
            let (completed, errors) = (AtomicCounter(0), Guarded<Set<CInt>>([]))
            // Fills the kernel's buffers.
            #expect(connection.send(ByteChunk(pattern(6_000_000))))
            for _ in 0..<50_000 {
                _ = connection.write(ByteChunk([])).subscribe(
                    onCompleted: { completed.increment() },
                    onError: { error in errors.change { _ = $0.insert(code(error)) } })
            }
            #expect(server.scheduler.performAndWait { connection.queuedBytes } > 0)
            #expect(waitUntil { errors.value == [ENOBUFS] })
            // No byte was rejected.
            connection.close()
            let (bytes, end) = receiveAll(peer)
            #expect(bytes.count == 6_000_000 && end == 0)
            #expect(waitUntil { completed.value > 1_000 } && completed.value < 20_000)
        }
    }

    @Test("A write that is disposed of at once does not keep its connection open", arguments: Backend.built)
    func writeDisposedAtOnce(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address, receiveBuffer: 4_096)
            weak let connection = server.firstConnection()
            #expect(connection != nil)
            server.scheduler.run(
                after: {
                    connection?.write(ByteChunk(pattern(10_000_000))).subscribe().dispose()
                    server.connections.value = []
                }, {})
            #expect(waitUntil { connection == nil })
            peer.close()
            server.end()
        }
    }

    /// The fault: with io_uring the bytes of each answer stayed until the completion of its send, which comes behind those of all receives.
    @Test("Answers to many peers that ask at the same moment are sent one by one", arguments: Backend.withoutFaults)
    func manyAnswers(_ backend: Backend) throws {
        try leavingNothingBehind {
            let connections = Guarded<[Connection]>([])
            let most = AtomicCounter(0)
            let answer = ByteChunk(pattern(200_000))
            let server = try Server(backend) { connection in
                connections.change { $0.append(connection) }
                _ = connection.received.subscribe(onNext: { _ in
                    connection.send(answer)
                    let queued = connections.value.reduce(0) { $0 + $1.queuedBytes }
                    if queued > most.value { most.add(queued - most.value) }
                })
            }
            let peers = (0..<200).map { _ in PlainSocket(connectedTo: server.address) }
            #expect(waitUntil { connections.value.count == peers.count })
            // All questions are there when the loop comes to them.
            server.scheduler.run(after: { for peer in peers { peer.send([1]) } }) { usleep(100_000) }
            for peer in peers { #expect(peer.receive(200_000).count == 200_000) }
            #expect(most.value < 20 << 20)
            connections.value = []
            server.end()
        }
    }
}
