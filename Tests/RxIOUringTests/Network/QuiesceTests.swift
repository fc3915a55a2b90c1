// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct QuiesceTests {
    private func events(_ quiescing: Completable) -> EventLog {
        EventLog(quiescing.asObservable().map { _ in "" })
    }

    @Test("A listener without connections quiesces at once", arguments: Backend.built)
    func noConnections(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend)
            let wasOver = Guarded<Bool?>(nil)
            let quiescing = server.listener.quiesce(within: .seconds(60)).subscribe(
                onCompleted: { wasOver.value = server.isOver.value })
            #expect(waitUntil { wasOver.value != nil })
            #expect(wasOver.value == true, "'connections' completes first")
            quiescing.dispose()
            let again = events(server.listener.quiesce(within: nil))
            #expect(waitUntil { again.text == "completed" })
            server.end()
        }
    }

    @Test("Quiescing that is disposed of at once closes the listener", arguments: Backend.built)
    func disposedAtOnce(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend)
            server.scheduler.run(after: { server.listener.quiesce(within: nil).subscribe().dispose() }, {})
            #expect(waitUntil { server.isOver.value })
            server.end()
        }
    }

    @Test("A listener quiesces when its connections are closed, on whichever loops", arguments: Backend.built)
    func waiting(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let group = IOUringSchedulerGroup(count: 2, backend: backend)
            let listener = try TCP.listener(port: 0, connectionSchedulers: group, scheduler: scheduler)
            let connections = Guarded<[Connection]>([])
            let ended = Guarded(false)
            let subscription = listener.connections.subscribe(
                onNext: { connection in
                    connections.change { $0.append(connection) }
                    _ = connection.received.subscribe(onNext: { connection.send($0) })
                }, onCompleted: { ended.value = true })
            let peers = (0..<4).map { _ in PlainSocket(connectedTo: listener.address) }
            #expect(waitUntil { connections.value.count == 4 })
            let log = events(listener.quiesce(within: .seconds(60)))
            #expect(waitUntil { ended.value })
            for peer in peers.dropLast() { peer.close() }
            connections.value = []
            usleep(50_000)
            #expect(log.text == "")
            // The last connection is served as before.
            peers[3].send([1, 2, 3])
            #expect(peers[3].receive(3) == [1, 2, 3])
            peers[3].close()
            #expect(waitUntil { log.text == "completed" }, "\(log.text)")
            subscription.dispose()
            group.shutdown()
            scheduler.shutdown()
        }
    }

    @Test("Connections that are open at the limit are cut", arguments: Backend.built)
    func limit(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peers = (0..<3).map { _ in PlainSocket(connectedTo: server.address, receiveBuffer: 4_096) }
            #expect(waitUntil { server.connections.value.count == 3 })
            server.connections.value[0].send(ByteChunk(pattern(8 << 20)))
            server.connections.value[1].close()
            server.connections.value[0].close()
            let log = events(server.listener.quiesce(within: .milliseconds(100)))
            #expect(waitUntil { log.lines.count == 1 })
            let subject = "\(server.address) (2 connections were cut)"
            #expect(log.text == "error(quiesce \(subject): Connection timed out (errno \(ETIMEDOUT)))")
            #expect(peers[2].receive(1).isEmpty)
            server.end()
        }
    }

    /// The fault: only the call with the limit at which they were cut said so.
    @Test("Every wait learns that connections were cut, and one behind the end does not", arguments: Backend.built)
    func severalLimits(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peers = (0..<2).map { _ in PlainSocket(connectedTo: server.address) }
            #expect(waitUntil { server.connections.value.count == 2 })
            let limits: [RxTimeInterval?] = [.seconds(60), .milliseconds(50), .milliseconds(80), nil]
            let logs = limits.map { events(server.listener.quiesce(within: $0)) }
            #expect(waitUntil { logs.allSatisfy { $0.lines.count == 1 } })
            for log in logs { #expect(log.text.contains("(2 connections were cut)"), "\(log.text)") }
            let later = events(server.listener.quiesce(within: nil))
            #expect(waitUntil { later.text == "completed" })
            #expect(peers.allSatisfy { $0.receive(1).isEmpty })
            server.end()
        }
    }

    @Test("A listener quiesces from inside its own event", arguments: Backend.built)
    func inside(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            let log = EventLog()
            let subscription = log.observe(listener.connections.map { _ in "connection" }) { event in
                guard case .next = event else { return }
                _ = listener.quiesce(within: nil).subscribe(onCompleted: { log.note("quiesced") })
            }
            let peer = PlainSocket(connectedTo: listener.address)
            #expect(waitUntil { log.lines.count == 3 })
            #expect(log.text == "connection completed quiesced")
            peer.close()
            subscription.dispose()
            scheduler.shutdown()
        }
    }

    @Test("A dispose ends the wait, and leaves the connections open", arguments: Backend.built)
    func disposed(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server.echo(backend)
            let peer = PlainSocket(connectedTo: server.address)
            peer.send([1])
            #expect(peer.receive(1) == [1])
            let log = EventLog()
            let waiting = log.observe(server.listener.quiesce(within: .milliseconds(50)).asObservable().map { _ in "" })
            #expect(waitUntil { server.isOver.value })
            waiting.dispose()
            usleep(100_000)
            peer.send([2])
            #expect(peer.receive(1) == [2])
            #expect(log.text == "")
            peer.close()
            server.end()
        }
    }

    @Test("The end of the loop ends the wait with an error", arguments: Backend.built)
    func shutdown(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            #expect(waitUntil { server.connections.value.count == 1 })
            let log = EventLog()
            let waiting = server.listener.quiesce(within: nil).subscribe(onError: {
                log.note("\(code($0) == ECANCELED)")
            })
            server.scheduler.shutdown()
            #expect(waitUntil { log.text == "true" }, "\(log.text)")
            waiting.dispose()
            peer.close()
            server.end()
        }
    }

    /// The fault: the end of the loop waited for a close that it did not take any more, until the time for sending was over.
    @Test("The end of the loop does not wait for a listener without connections", arguments: Backend.built)
    func shutdownAtOnce(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend)
            // Both are submitted before the loop comes to the first.
            server.scheduler.run { usleep(20_000) }
            let waiting = server.listener.quiesce(within: .seconds(60)).subscribe()
            let start = MonotonicClock.now()
            server.scheduler.shutdown(draining: .seconds(20))
            #expect(MonotonicClock.now() - start < 10_000_000_000)
            #expect(waitUntil { server.isOver.value } && server.errors.value.isEmpty)
            waiting.dispose()
            server.end()
        }
    }

    /// The race: connections end on two loops while the listener quiesces and its time runs out.
    @Test("Connections that end while the listener quiesces are not missed", arguments: Backend.built)
    func race(_ backend: Backend) throws {
        try leavingNothingBehind {
            let group = IOUringSchedulerGroup(count: 2, backend: backend)
            let scheduler = IOUringScheduler(backend: backend)
            for round in 0..<stepCount(300, debug: 60) {
                let listener = try TCP.listener(port: 0, connectionSchedulers: group, scheduler: scheduler)
                let accepted = AtomicCounter(0)
                let subscription = listener.connections.subscribe(onNext: { connection in
                    accepted.increment()
                    _ = connection.received.subscribe()
                })
                let peers = (0..<4).map { _ in PlainSocket(connectedTo: listener.address) }
                #expect(waitUntil { accepted.value == 4 })
                nonisolated(unsafe) var log: EventLog?
                TestSupport.race(
                    {
                        for peer in peers { if round % 2 == 0 { peer.close() } else { peer.reset() } }
                    },
                    {
                        jitter(round)
                        log = self.events(listener.quiesce(within: round % 3 == 0 ? .microseconds(100) : nil))
                    })
                #expect(waitUntil { log?.lines.count == 1 }, "no end in round \(round)")
                subscription.dispose()
            }
            scheduler.shutdown()
            group.shutdown()
        }
    }
}
