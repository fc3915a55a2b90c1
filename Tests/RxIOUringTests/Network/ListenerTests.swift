// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct ListenerTests {
    @Test("Accepting pauses while no descriptor is free", arguments: Backend.built)
    func noDescriptors(_ backend: Backend) throws {
        let notices = Guarded<[String]>([])
        let before = IOHooks.noticeHandler
        IOHooks.noticeHandler = { notice in notices.change { $0.append(notice) } }
        defer { IOHooks.noticeHandler = before }
        try leavingNothingBehind {
            let peers = (0..<20).map { _ in socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0) }
            var old = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
            // The limit is lowered before the server accepts, since the ring uses the limit of that time.
            var few = rlimit(rlim_cur: rlim_t(peers.max()!) + 64, rlim_max: old.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &few)
            let server = try Server(backend, keeps: true)
            usleep(20_000)
            // All numbers are taken, except for five.
            var taken: [CInt] = []
            while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
            for _ in 0..<5 { Glibc.close(taken.removeLast()) }
            for peer in peers {
                var target = sockaddr_in()
                target.sin_family = sa_family_t(AF_INET)
                target.sin_port = UInt16(server.address.port).bigEndian
                target.sin_addr.s_addr = inet_addr("127.0.0.1")
                _ = withUnsafePointer(to: &target) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(peer, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
            }
            usleep(100_000)
            let accepted = server.connections.value.count
            let processor = clock()
            usleep(100_000)
            let spent = Double(clock() - processor) / Double(CLOCKS_PER_SEC)
            for descriptor in taken { Glibc.close(descriptor) }
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
            #expect(accepted <= 5)
            #expect(spent < 0.05, "the loop spins")
            #expect(notices.value.filter { $0.hasPrefix("accept 127.0.0.1") }.count == 1)
            #expect(waitUntil { server.connections.value.count == 20 })
            #expect(server.errors.value.isEmpty)
            for peer in peers { Glibc.close(peer) }
            server.end()
        }
    }

    /// The fault: the loop skipped a subscription that was disposed of before it came to it, and the listener stayed open.
    @Test("Disposing of connections at once closes the listener", arguments: Backend.built)
    func disposedAtOnce(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            scheduler.run(after: { listener.connections.subscribe().dispose() }, {})
            scheduler.performAndWait {}
            let error = Receiver(listener.connections)
            #expect(error.wait() && code(error.error!) == EBADF)
            let next = try TCP.listener(port: listener.address.port, scheduler: scheduler)
            next.close()
            scheduler.shutdown()
        }
    }

    /// The fault: the descriptor stayed open as long as the listener was held. Peers could connect, and nobody accepted.
    @Test(
        "A subscription that comes behind the end of the loop closes the listener", arguments: Backend.built,
        [true, false])
    func behindEnd(_ backend: Backend, _ quiesces: Bool) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            scheduler.shutdown()
            let source =
                quiesces ? listener.quiesce(within: nil).asObservable().map { _ in } : listener.connections.map { _ in }
            let receiver = Receiver(source)
            #expect(receiver.wait())
            #expect((receiver.error as? IOError)?.code == ECANCELED)
            let later = IOUringScheduler(backend: backend)
            let next = try TCP.listener(port: listener.address.port, scheduler: later)
            #expect(next.address == listener.address)
            later.shutdown()
        }
    }

    /// The fault: the loop went on accepting, and closed in order what nobody got: to these peers an empty answer.
    @Test("Connections that nobody gets are reset", arguments: Backend.built)
    func undelivered(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            let peers = (0..<10).map { _ in PlainSocket(connectedTo: listener.address) }
            let subscription = SingleAssignmentDisposable()
            let delivered = Guarded<[Connection]>([])
            let isSubscribed = OneShot()
            subscription.setDisposable(
                listener.connections.subscribe(onNext: { connection in
                    delivered.change { $0.append(connection) }
                    connection.send("!")
                    #expect(isSubscribed.wait(seconds: 10))
                    let isDisposed = OneShot()
                    Thread.detachNewThread {
                        subscription.dispose()
                        isDisposed.fire()
                    }
                    #expect(isDisposed.wait(seconds: 10))
                }))
            isSubscribed.fire()
            #expect(waitUntil { !delivered.value.isEmpty })
            #expect(peers[0].receive(1) == Array("!".utf8))
            for peer in peers.dropFirst() { #expect(receiveAll(peer).end == ECONNRESET) }
            #expect(delivered.value.count == 1)
            delivered.value = []
            for peer in peers { peer.close() }
            scheduler.shutdown()
        }
    }

    /// The fault: `connections` completed while the descriptor was still being closed.
    @Test("A listener that has completed leaves its address free", arguments: Backend.built, [false, true])
    func freeAddress(_ backend: Backend, _ quiesces: Bool) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            for _ in 0..<50 {
                let listener = try TCP.listener(port: 0, scheduler: scheduler)
                let connections = Receiver(listener.connections)
                scheduler.performAndWait {}
                if quiesces {
                    #expect(Receiver(listener.quiesce(within: nil).asObservable()).wait())
                } else {
                    listener.close()
                    #expect(connections.wait() && connections.isCompleted)
                }
                let next = try TCP.listener(port: listener.address.port, scheduler: scheduler)
                next.close()
            }
            scheduler.shutdown()
        }
    }

    @Test("The end of the loop does not turn the close of a listener into a failure", arguments: Backend.built)
    func closeAndShutdown(_ backend: Backend) throws {
        try leavingNothingBehind {
            for _ in 0..<20 {
                let scheduler = IOUringScheduler(backend: backend)
                let listener = try TCP.listener(port: 0, scheduler: scheduler)
                let connections = Receiver(listener.connections)
                // Nothing runs between the two, so that the descriptor is still being closed.
                scheduler.performAndWait {
                    listener.close()
                    scheduler.shutdown()
                }
                #expect(connections.wait() && connections.isCompleted)
            }
        }
    }

    @Test("Ten thousand connections leave no descriptor and no memory", arguments: Backend.built)
    func tenThousand(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server.echo(backend)
            func batch() {
                let peers = (0..<200).map { _ in PlainSocket(connectedTo: server.address) }
                for peer in peers { peer.send([1, 2, 3]) }
                for peer in peers { #expect(peer.receive(3) == [1, 2, 3]) }
                for (place, peer) in peers.enumerated() {
                    if place % 2 == 0 { peer.reset() } else { peer.close() }
                }
            }
            let descriptors = descriptorCount()
            for _ in 0..<5 { batch() }
            let memory = residentBytes()
            for _ in 0..<45 { batch() }
            #expect(waitUntil { descriptorCount() <= descriptors })
            if !hasAddressSanitizer {
                #expect(residentBytes() - memory < 8 << 20, "\(residentBytes() - memory) bytes more")
            }
            server.end()
        }
    }

    @Test("Connections are spread over the loops of a group", arguments: Backend.built)
    func spread(_ backend: Backend) throws {
        try leavingNothingBehind {
            let group = IOUringSchedulerGroup(count: 3, backend: backend)
            let scheduler = IOUringScheduler(backend: backend)
            let names = Guarded<[String]>([])
            let listener = try TCP.listener(port: 0, connectionSchedulers: group, scheduler: scheduler)
            let subscription = listener.connections.subscribe(onNext: { connection in
                #expect(scheduler.isCurrent)
                _ = connection.received.subscribe(onNext: { chunk in
                    #expect(connection.scheduler.isCurrent)
                    names.change { $0.append(connection.scheduler.name) }
                    connection.send(chunk)
                })
            })
            let peers = (0..<6).map { _ in PlainSocket(connectedTo: listener.address) }
            for peer in peers { peer.send([7]) }
            for peer in peers { #expect(peer.receive(1) == [7]) }
            #expect(names.value.sorted() == ["rx.io.0", "rx.io.0", "rx.io.1", "rx.io.1", "rx.io.2", "rx.io.2"])
            for peer in peers { peer.close() }
            subscription.dispose()
            scheduler.shutdown()
            group.shutdown()
        }
    }

    /// The loop has not seen the subscription yet when the listener is closed.
    @Test("Closing right after the subscription completes it", arguments: Backend.built)
    func closeAtOnce(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            for _ in 0..<200 {
                let log = EventLog()
                let listener = try TCP.listener(port: 0, scheduler: scheduler)
                let subscription = log.observe(listener.connections.map { _ in "connection" })
                listener.close()
                #expect(waitUntil { log.text == "completed" }, "\(log.text)")
                subscription.dispose()
            }
            // A subscription that is disposed of before the loop has seen it leaves nothing to wait for.
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            listener.connections.subscribe().dispose()
            listener.close()
            scheduler.shutdown()
        }
    }

    @Test("A connection that was reset before it is accepted names its peer", arguments: Backend.built)
    func resetBefore(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let log = EventLog()
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            let peer = PlainSocket(connectedTo: listener.address)
            let port = peer.localPort
            peer.reset()
            let subscription = log.observe(
                listener.connections.take(1).map {
                    "\($0.remoteAddress == (try SocketAddress(ipv4: "127.0.0.1", port: port)))"
                })
            #expect(waitUntil { log.text == "true completed" }, "\(log.text)")
            subscription.dispose()
            listener.close()
            scheduler.shutdown()
        }
    }

    @Test("Closing the listener completes its connections", arguments: Backend.built)
    func close(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let log = EventLog()
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            let subscription = log.observe(listener.connections.map { _ in "connection" }) { event in
                if case .next = event { listener.close() }
            }
            let peer = PlainSocket(connectedTo: listener.address)
            #expect(waitUntil { log.text == "connection completed" })
            let second = listener.connections.subscribe(onError: { log.note("\(($0 as! IOError).code == EBADF)") })
            #expect(waitUntil { log.text == "connection completed true" })
            peer.close()
            second.dispose()
            subscription.dispose()
            scheduler.shutdown()
        }
    }
}
