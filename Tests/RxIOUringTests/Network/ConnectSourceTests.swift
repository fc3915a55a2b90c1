// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct ConnectSourceTests {
    /// A listener that neither takes a connection nor refuses it, since its backlog is full: a packet filter that drops, in small.
    private final class BlackHole {
        private let listener: CInt
        private var peers: [CInt] = []
        let address: SocketAddress

        init(host: String = "127.0.0.1") throws {
            let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_addr.s_addr = inet_addr(host)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &name) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                    bind(listener, name, length)
                    getsockname(listener, name, &length)
                }
            }
            listen(listener, 0)
            self.listener = listener
            address = try SocketAddress(ipv4: host, port: Int(UInt16(bigEndian: name.sin_port)))
            for _ in 0..<4 {
                let peer = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
                withUnsafePointer(to: &name) {
                    _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(peer, $0, length) }
                }
                peers.append(peer)
            }
        }

        func close() {
            for peer in peers { Glibc.close(peer) }
            Glibc.close(listener)
        }
    }

    /// An address at which nothing listens.
    private func refusing(_ host: String, _ scheduler: IOUringScheduler) throws -> SocketAddress {
        let listener = try TCP.listener(host: host, port: 0, scheduler: scheduler)
        defer { listener.close() }
        return listener.address
    }

    private func options(delay: RxTimeInterval) -> ConnectionOptions {
        var options = ConnectionOptions()
        options.attemptDelay = delay
        return options
    }

    private func connect(
        _ addresses: [SocketAddress], delay: RxTimeInterval, timeout: RxTimeInterval? = nil,
        _ scheduler: IOUringScheduler
    ) -> Receiver<Connection> {
        let host = TestHost(.success(addresses))
        return Receiver(
            TCP.connect(
                host: host.name, port: 1, timeout: timeout, options: options(delay: delay), scheduler: scheduler
            )
            .asObservable())
    }

    @Test("A first address that does not answer is left after the delay", arguments: Backend.built)
    func blackHole(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server.echo(backend)
            let hole = try BlackHole()
            let scheduler = IOUringScheduler(backend: backend)
            let start = DispatchTime.now()
            let receiver = connect([hole.address, server.address], delay: .milliseconds(40), scheduler)
            #expect(receiver.wait())
            let time = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds
            #expect(receiver.error == nil)
            #expect(receiver.take().first?.remoteAddress == server.address)
            #expect(time >= 40_000_000)
            hole.close()
            scheduler.shutdown()
            server.end()
        }
    }

    @Test("The first of several black holes is left as the last is", arguments: Backend.built)
    func blackHoles(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server.echo(backend)
            let holes = try (0..<4).map { _ in try BlackHole() }
            let scheduler = IOUringScheduler(backend: backend)
            let receiver = connect(
                holes.map(\.address) + [server.address], delay: .milliseconds(5), scheduler)
            #expect(receiver.wait() && receiver.error == nil)
            #expect(receiver.take().first?.remoteAddress == server.address)
            for hole in holes { hole.close() }
            scheduler.shutdown()
            server.end()
        }
    }

    @Test("An address that refuses is followed by the next at once", arguments: Backend.built)
    func refused(_ backend: Backend) throws {
        try leavingNothingBehind {
            let server = try Server.echo(backend)
            let scheduler = IOUringScheduler(backend: backend)
            let refusing = try refusing("127.0.0.1", scheduler)
            let receiver = connect([refusing, server.address], delay: .seconds(1_000), scheduler)
            #expect(receiver.wait() && receiver.error == nil)
            #expect(receiver.take().first?.remoteAddress == server.address)
            scheduler.shutdown()
            server.end()
        }
    }

    @Test("The error names all addresses when each has failed", arguments: Backend.built)
    func allFail(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let first = try refusing("127.0.0.1", scheduler)
            let second = try refusing("127.0.0.2", scheduler)
            let receiver = connect([first, second], delay: .seconds(1_000), scheduler)
            #expect(receiver.wait())
            let refused = "Connection refused"
            #expect(
                receiver.error as? IOError
                    == IOError(
                        code: ECONNREFUSED, operation: "connect", subject: "\(first) (also tried \(second): \(refused))"
                    ))
            scheduler.shutdown()
        }
    }

    @Test("A timeout before an address is known is one of the resolver", arguments: Backend.built)
    func timeoutOfResolver(_ backend: Backend) throws {
        leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let host = TestHost(.success([]), waits: true)
            let receiver = Receiver(
                TCP.connect(host: host.name, port: 1, timeout: .milliseconds(20), scheduler: scheduler).asObservable())
            #expect(receiver.wait())
            #expect(
                receiver.error as? IOError
                    == IOError(code: ETIMEDOUT, operation: "resolve", subject: "\(host.name):1"))
            host.open()
            scheduler.shutdown()
        }
    }

    @Test("The timeout and a dispose end all attempts", arguments: Backend.built, [false, true])
    func timeout(_ backend: Backend, disposes: Bool) throws {
        try leavingNothingBehind {
            let holes = try (0..<3).map { _ in try BlackHole() }
            let scheduler = IOUringScheduler(backend: backend)
            let descriptors = descriptorCount()
            let receiver = connect(
                holes.map(\.address), delay: .milliseconds(1), timeout: disposes ? nil : .milliseconds(100), scheduler)
            #expect(waitUntil { descriptorCount() == descriptors + 3 })
            if disposes { receiver.dispose() }
            #expect(receiver.wait())
            #expect((receiver.error as? IOError)?.code == (disposes ? nil : ETIMEDOUT))
            #expect(waitUntil { descriptorCount() == descriptors })
            for hole in holes { hole.close() }
            scheduler.shutdown()
        }
    }
}
