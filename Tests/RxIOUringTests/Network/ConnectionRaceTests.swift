// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct ConnectionRaceTests {
    /// The next subscriber receives the bytes that come later.
    @Test("A dispose that races with a receive loses at most the chunk under way", arguments: Backend.built)
    func disposeRace(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())
            let received = AtomicCounter(0)
            let rounds = 4_000
            var kept = 0
            for round in 0..<rounds {
                nonisolated(unsafe) var subscription: (any Disposable)?
                subscription = connection.received.subscribe(onNext: { for _ in $0 { received.increment() } })
                race(
                    { _ = peer.send([1]) },
                    {
                        jitter(round)
                        subscription?.dispose()
                    })
                // The next subscriber gets bytes that arrive without one.
                let hasCome = Guarded(false)
                peer.send([2])
                let next = connection.received.subscribe(
                    onNext: { for byte in $0 { if byte == 2 { hasCome.value = true } else { received.increment() } } })
                if waitUntil({ hasCome.value }) { kept += 1 }
                next.dispose()
            }
            #expect(kept == rounds)
            // The number of lost bytes depends on how long the loop thread delivers.
            #expect((1...rounds).contains(received.value), "\(received.value)")
            server.end()
        }
    }

    /// The fault: bytes that a thread had just queued were dropped, and the peer saw a clean end.
    @Test("What sends on other threads have accepted arrives before a clean end", arguments: Backend.built)
    func sendRace(_ backend: Backend) throws {
        leavingNothingBehind {
            let piece = ByteChunk(pattern(1_000))
            for round in 0..<stepCount(300, debug: 100) {
                let scheduler = IOUringScheduler(backend: backend)
                let ends = socketPair()
                let adopted = Guarded<Connection?>(nil)
                _ = Connection.adopt(ends[0], scheduler: scheduler).subscribe(onSuccess: { adopted.value = $0 })
                #expect(waitUntil { adopted.value != nil })
                let connection = adopted.value!
                let (accepted, received) = (Guarded(0), Guarded(0))
                let isCleanEnd = Guarded(false)
                let peer = ends[1]
                let send: @Sendable () -> Void = {
                    for _ in 0..<500 where connection.send(piece) { accepted.change { $0 += 1_000 } }
                }
                race(
                    send, send,
                    {
                        var buffer = [UInt8](repeating: 0, count: 65_536)
                        while true {
                            let count = read(peer, &buffer, buffer.count)
                            if count <= 0 {
                                isCleanEnd.value = count == 0
                                return
                            }
                            received.change { $0 += count }
                        }
                    },
                    {
                        usleep(UInt32(round * 7 % 700))
                        scheduler.shutdown()
                    })
                #expect(!isCleanEnd.value || received.value == accepted.value)
                close(peer)
            }
        }
    }

    @Test("Releasing a connection races with receiving, sending and closing", arguments: Backend.built)
    func releaseRace(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            for round in 0..<2_000 {
                let peer = PlainSocket(connectedTo: server.address)
                #expect(waitUntil { !server.connections.value.isEmpty })
                nonisolated(unsafe) var connection: Connection? = server.connections.change { $0.popLast() }
                let other = connection!
                let subscription = other.received.subscribe()
                race(
                    {
                        peer.send([1])
                        if round % 2 == 0 { peer.reset() } else { peer.close() }
                    },
                    {
                        jitter(round)
                        subscription.dispose()
                        connection = nil
                    },
                    {
                        jitter(round / 64)
                        other.send("x")
                        if round % 3 == 0 { other.close() } else if round % 3 == 1 { other.abort() }
                    })
            }
            server.end()
        }
    }

    @Test("A shutdown races with connections that come, send and go", arguments: Backend.built)
    func shutdownRace(_ backend: Backend) throws {
        try leavingNothingBehind {
            for round in 0..<200 {
                let server = try Server.echo(backend)
                let address = server.address
                let client = IOUringScheduler(backend: backend)
                let bag = DisposeBag()
                for _ in 0..<4 {
                    TCP.connect(to: address, scheduler: client).asObservable().flatMap { connection in
                        connection.send("x")
                        return connection.received.do(onNext: { connection.send($0) })
                    }.subscribe(onError: { _ in }).disposed(by: bag)
                }
                usleep(UInt32(round % 20) * 100)
                race({ server.scheduler.shutdown() }, { client.shutdown() })
                server.end()
            }
        }
    }

    /// The observer retains more chunks than the loop has buffers.
    @Test("The loop keeps receiving when all its buffers are retained", arguments: Backend.built)
    func keptBuffers(_ backend: Backend) throws {
        try leavingNothingBehind {
            var options = ConnectionOptions()
            options.receiveWindow = 2_000
            let kept = Guarded<[ByteChunk]>([])
            let server = try Server(backend, options: options) { connection in
                _ = connection.received.subscribe(onNext: { chunk in
                    kept.change { $0.append(chunk) }
                    connection.send(chunk)
                })
            }
            let peer = PlainSocket(connectedTo: server.address)
            let other = PlainSocket(connectedTo: server.address)
            for number in 0..<700 {
                peer.send([UInt8(truncatingIfNeeded: number)])
                #expect(peer.receive(1).count == 1)
            }
            other.send([9])
            #expect(other.receive(1) == [9])
            #expect(kept.value.count == 701)
            #expect(kept.value.prefix(700).map { $0[0] } == (0..<700).map { UInt8(truncatingIfNeeded: $0) })
            // The loop reuses buffers that this thread releases.
            kept.value = []
            for number in 0..<600 {
                peer.send([UInt8(truncatingIfNeeded: number)])
                #expect(peer.receive(1).count == 1)
            }
            peer.close()
            other.close()
            kept.value = []
            server.end()
        }
    }
}
