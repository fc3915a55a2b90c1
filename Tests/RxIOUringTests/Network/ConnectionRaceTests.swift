import Dispatch
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct ConnectionRaceTests {
    /// A dispose of `received` meets a receive that completes: at most the chunk under way is lost, and the next subscriber
    /// goes on.
    @Test(arguments: IOUringScheduler.Backend.built)
    func disposingMeetsWhatIsReceived(_ backend: IOUringScheduler.Backend) throws {
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
                // What comes while nobody subscribes is for the next one.
                let hasCome = Guarded(false)
                peer.send([2])
                let next = connection.received.subscribe(
                    onNext: { for byte in $0 { if byte == 2 { hasCome.value = true } else { received.increment() } } })
                if waitUntil({ hasCome.value }) { kept += 1 }
                next.dispose()
            }
            #expect(kept == rounds)
            // How many are lost depends on how long the loop's thread delivers.
            #expect((1...rounds).contains(received.value), "\(received.value)")
            server.end()
        }
    }

    /// The connection is let go of while something is received, sent and closed elsewhere.
    @Test(arguments: IOUringScheduler.Backend.built)
    func lettingGoMeetsEverythingElse(_ backend: IOUringScheduler.Backend) throws {
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

    /// The loop ends while connections come, send and go.
    @Test(arguments: IOUringScheduler.Backend.built)
    func shutdownMeetsConnections(_ backend: IOUringScheduler.Backend) throws {
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

    /// More chunks are kept than the loop has buffers.
    @Test(arguments: IOUringScheduler.Backend.built)
    func theLoopReceivesOnWhenItsBuffersAreKept(_ backend: IOUringScheduler.Backend) throws {
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
            // Given back on this thread, they are received into again.
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
