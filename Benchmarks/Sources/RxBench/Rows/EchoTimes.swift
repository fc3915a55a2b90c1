// SPDX-License-Identifier: Apache-2.0

import CPlainPeers
import RxIOUring

/// The processor time of an echo server's thread. Throughput is that of the slower end: once a server is faster than the client, only this
/// tells by how much.
extension Figure {
    #if os(Linux)
        static func echo(_ extent: Extent) -> [Figure] {
            let messages = extent.of(100_000, quick: 10_000)
            return [
                echo("tcp.echo", ours(messages), vs: "NIO echo server", nio(messages)),
                echo("tcp.echo.epoll", onEpoll(messages), vs: "NIO echo server", nio(messages)),
                echo("tcp.echo.limit", ours(messages), vs: "epoll server in C", plain(messages)),
            ]
        }

        private static func echo(
            _ name: String, _ ours: @autoclosure @escaping () -> Double, vs peerName: String,
            _ peer: @autoclosure @escaping () -> Double
        ) -> Figure {
            Figure(
                area: .net, name: "\(name).64connections.serverTime",
                unit: "ns of the server's processor time per round trip\(leastOfRounds)", limit: nil,
                ours: ours, peerName: peerName, peer: peer)
        }

        private static func ours(_ messages: Int) -> Double {
            perMessage(EchoServers.ours, messages) { loopTime(Loops.ours) }
        }

        private static func onEpoll(_ messages: Int) -> Double {
            perMessage(EchoServers.onEpoll, messages) { loopTime(EchoServers.epollLoop) }
        }

        private static func nio(_ messages: Int) -> Double { perMessage(EchoServers.nio, messages, nioTime) }

        private static func plain(_ messages: Int) -> Double {
            perMessage(EchoServers.plain, messages, plain_echo_server_time)
        }

        private static func perMessage(_ port: UInt16, _ messages: Int, _ time: () -> UInt64) -> Double {
            let client = EchoClient(64) { port }
            _ = client.run(messages / 10)
            return least {
                let start = time()
                _ = client.run(messages)
                return Double(time() - start) / Double(messages)
            }
        }

        private static func loopTime(_ loop: IOUringScheduler) -> UInt64 {
            var time: UInt64 = 0
            Loops.onOurs("the time of a loop's thread", loop) { _ in time = plain_thread_time() }
            return time
        }

        private static func nioTime() -> UInt64 {
            var time: UInt64 = 0
            Loops.onNIO("the time of NIO's thread") { _ in time = plain_thread_time() }
            return time
        }
    #else
        static func echo(_ extent: Extent) -> [Figure] { [] }
    #endif
}
