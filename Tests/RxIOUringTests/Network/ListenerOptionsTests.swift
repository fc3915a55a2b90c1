// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct ListenerOptionsTests {
    @Test("A program sets options of its own before the bind", arguments: Backend.built)
    func hook(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let log = EventLog()
            var options = ListenerOptions()
            options.prepareSocket = { fd in
                var address = sockaddr_in()
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                _ = withUnsafeMutablePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(fd, $0, &size) }
                }
                log.note("port \(address.sin_port)")
            }
            let listener = try TCP.listener(port: 0, socket: options, scheduler: scheduler)
            #expect(log.text == "port 0")
            #expect(listener.address.port != 0)
            listener.close()
            scheduler.shutdown()
        }
    }

    @Test("An IPv6 listener takes the peers of IPv4 or leaves the port to others", arguments: Backend.built)
    func ipv6Only(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            var options = ListenerOptions()
            options.ipv6Only = true
            let only = try TCP.listener(host: "::", port: 0, socket: options, scheduler: scheduler)
            let other = try TCP.listener(host: "0.0.0.0", port: only.address.port, scheduler: scheduler)
            options.ipv6Only = false
            let both = try TCP.listener(host: "::", port: 0, socket: options, scheduler: scheduler)
            #expect(throws: IOError.self) {
                try TCP.listener(host: "0.0.0.0", port: both.address.port, scheduler: scheduler)
            }
            let accepted = Guarded(0)
            let subscription = both.connections.subscribe(onNext: { _ in accepted.change { $0 += 1 } })
            let peer = PlainSocket(connectedTo: both.address)
            #expect(waitUntil { accepted.value == 1 })
            peer.close()
            subscription.dispose()
            only.close()
            other.close()
            scheduler.shutdown()
        }
    }

    /// The fault: the file had the permissions that the mask left, and stayed when the listener was closed.
    @Test("A Unix listener that finds no descriptor for its folder makes no file")
    func noDescriptor() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let scheduler = IOUringScheduler()
            var options = ListenerOptions()
            options.fileMode = 0o600
            var taken: [CInt] = []
            while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
            close(taken.removeLast())
            do {
                _ = try Unix.listener(path: folder["s"], socket: options, scheduler: scheduler)
                fatalError("it listens")
            } catch {
                precondition((error as? IOError)?.code == EMFILE, "\(error)")
            }
            for descriptor in taken { close(descriptor) }
            precondition(access(folder["s"], F_OK) != 0)
            scheduler.shutdown()
        }
    }

    @Test(
        "The file of a Unix socket has the permissions that were asked for",
        arguments: [0o600, 0o666, 0o000] as [UInt32])
    func fileMode(_ mode: UInt32) throws {
        let folder = TemporaryFolder()
        try leavingNothingBehind {
            let scheduler = IOUringScheduler()
            var options = ListenerOptions()
            options.fileMode = mode
            let listener = try Unix.listener(path: folder["s"], socket: options, scheduler: scheduler)
            var status = stat()
            #expect(lstat(folder["s"], &status) == 0)
            #expect(status.st_mode & 0o777 == mode)
            listener.close()
            scheduler.shutdown()
        }
    }

    @Test("The loops of a group accept connections of one port, each its own", arguments: Backend.built)
    func sharedPort(_ backend: Backend) throws {
        try leavingNothingBehind {
            let group = IOUringSchedulerGroup(count: 2, backend: backend)
            let listeners = try TCP.listeners(port: 0, schedulers: group)
            #expect(Set(listeners.map(\.address)).count == 1)
            let names = Guarded<[String]>([])
            let subscriptions = listeners.map { listener in
                listener.connections.subscribe(onNext: { connection in
                    #expect(connection.scheduler.isCurrent)
                    names.change { $0.append(connection.scheduler.name) }
                })
            }
            let peers = (0..<64).map { _ in PlainSocket(connectedTo: listeners[0].address) }
            #expect(waitUntil { names.value.count == 64 })
            #expect(Set(names.value).count == 2)
            for peer in peers { peer.close() }
            for subscription in subscriptions { subscription.dispose() }
            group.shutdown()
        }
    }

    @Test("A port that is in use opens on no loop", arguments: Backend.built)
    func portInUse(_ backend: Backend) throws {
        try leavingNothingBehind {
            let group = IOUringSchedulerGroup(count: 2, backend: backend)
            let taken = try TCP.listener(port: 0, scheduler: group.next())
            #expect(throws: IOError.self) { try TCP.listeners(port: taken.address.port, schedulers: group) }
            taken.close()
            group.shutdown()
        }
    }

    @Test("A connection between Unix sockets knows the process at its other end", arguments: Backend.built)
    func peerCredentials(_ backend: Backend) throws {
        let folder = TemporaryFolder()
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try Unix.listener(path: folder["s"], scheduler: scheduler)
            let found = Guarded<[PeerCredentials?]>([])
            let subscription = listener.connections.subscribe(onNext: { connection in
                found.change { $0.append(connection.peerCredentials) }
            })
            let client = Unix.connect(path: folder["s"], scheduler: scheduler).subscribe(onSuccess: { connection in
                found.change { $0.append(connection.peerCredentials) }
            })
            #expect(waitUntil { found.value.count == 2 })
            for credentials in found.value {
                #expect(credentials?.processID == getpid())
                #expect(credentials?.userID == getuid())
                #expect(credentials?.groupID == getgid())
            }
            client.dispose()
            subscription.dispose()
            let tcp = try TCP.listener(port: 0, scheduler: scheduler)
            let isMissing = Guarded(false)
            let other = tcp.connections.subscribe(onNext: { isMissing.value = $0.peerCredentials == nil })
            let peer = PlainSocket(connectedTo: tcp.address)
            #expect(waitUntil { isMissing.value })
            peer.close()
            other.dispose()
            scheduler.shutdown()
        }
    }
}
