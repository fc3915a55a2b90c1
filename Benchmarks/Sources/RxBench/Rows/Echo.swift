// SPDX-License-Identifier: Apache-2.0

import CPlainPeers
import NIOCore
import NIOPosix
import RxIOUring
import RxSwift

/// TCP echo over the loopback interface: messages of 64 bytes, one in flight per connection, a server on one thread, a client on
/// another one.
extension Row {
    #if os(Linux)
        static var echo: [Row] {
            // Both ends of all connections are open until the program ends.
            let counts = plain_raise_descriptor_limit() >= 16_384 ? [1_024, 64] : [64]
            let usual = (counts + [1]).map { echo("tcp.echo", $0, EchoServers.ours, bar: $0 == 1 ? 1.0 : 1.4) }
            let epoll = counts.map { echo("tcp.echo.epoll", $0, EchoServers.onEpoll, bar: 1.4) }
            // What a server can reach: the kernel's part is the same for all.
            let limit = counts.map { count in
                echo("tcp.echo.limit", count, EchoServers.ours, vs: "epoll server in C", EchoServers.plain, bar: 0.8)
            }
            return usual + epoll + limit
        }

        private static func echo(
            _ name: String, _ connections: Int, _ server: @escaping @autoclosure () -> UInt16,
            vs peerName: String = "NIO echo server",
            _ peerServer: @escaping @autoclosure () -> UInt16 = EchoServers.nio, bar: Double
        ) -> Row {
            let ours = EchoClient(connections, port: server)
            let peer = EchoClient(connections, port: peerServer)
            return Row(
                .net, "\(name).\(connections)connections.throughput", vs: peerName, bar: bar,
                mallocLimit: nil, unit: "round trip", events: max(connections, 64) * 100, expected: { $0 },
                ours: { ours.run($0) }, peer: { peer.run($0) })
        }
    #else
        static var echo: [Row] { [] }
    #endif
}

extension LatencyRow {
    #if os(Linux)
        static func echo(_ extent: Extent) -> [LatencyRow] {
            [64, 1].map { connections in
                let ours = EchoClient(connections) { EchoServers.ours }
                let peer = EchoClient(connections) { EchoServers.nio }
                let messages = extent.of(connections == 1 ? 20_000 : 100_000, quick: 2_000)
                return LatencyRow(
                    .net, "tcp.echo.\(connections)connections.latency", unit: "round trip",
                    ours: Side("TCP.listener", samples: messages) { _ = ours.run($0.count, $0.baseAddress) },
                    peer: Side("NIO echo server", samples: messages) { _ = peer.run($0.count, $0.baseAddress) })
            }
        }
    #else
        static func echo(_ extent: Extent) -> [LatencyRow] { [] }
    #endif
}

#if os(Linux)
    /// The ports of the echo servers, most of them on event loops that other rows also use. They listen until the program ends.
    enum EchoServers {
        static let ours = start(on: Loops.ours)

        static let epollLoop = IOUringScheduler(name: "bench.epoll", backend: .epoll)

        static let onEpoll = start(on: epollLoop)

        private static func start(on scheduler: IOUringScheduler) -> UInt16 {
            do {
                let listener = try TCP.listener(host: "127.0.0.1", port: 0, scheduler: scheduler)
                _ = listener.connections.subscribe(onNext: { connection in
                    _ = connection.received.subscribe(onNext: { connection.send($0) })
                })
                return UInt16(listener.address.port)
            } catch {
                fail("our echo server: \(error)")
            }
        }

        static let plain: UInt16 = {
            var error: CInt = 0
            let port = plain_echo_serve(&error)
            if port == 0 { fail("the plain echo server: \(String(cString: strerror(error)))") }
            return port
        }()

        /// Follows NIO's advice for speed: no promise per write, and one flush for all that was read at once.
        static let nio: UInt16 = {
            let bootstrap = ServerBootstrap(group: Loops.nio)
                .serverChannelOption(.backlog, value: 256)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(EchoHandler())
                    }
                }
            do {
                let channel = try bootstrap.bind(host: "127.0.0.1", port: 0).wait()
                return UInt16(channel.localAddress!.port!)
            } catch {
                fail("NIO's echo server: \(error)")
            }
        }()
    }

    private final class EchoHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.write(data, promise: nil)
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            context.flush()
        }
    }

    /// The client of one row and one server. Connects at its first use, and stays connected.
    final class EchoClient {
        private let connections: Int
        private let port: () -> UInt16
        private lazy var client: OpaquePointer = {
            var error: CInt = 0
            guard let client = plain_echo_open(port(), connections, &error) else {
                fail("the echo client cannot connect: \(String(cString: strerror(error)))")
            }
            return client
        }()

        init(_ connections: Int, port: @escaping () -> UInt16) {
            self.connections = connections
            self.port = port
        }

        /// Returns the number of correct echoes.
        func run(_ messages: Int, _ samples: UnsafeMutablePointer<UInt64>? = nil) -> Int {
            let right = Int(plain_echo_run(client, messages, samples))
            if right < 0 { fail("the echo client: \(String(cString: strerror(CInt(-right))))") }
            if right < messages { fail("the echo client: \(messages - right) of \(messages) echoes were wrong") }
            return right
        }
    }
#endif
