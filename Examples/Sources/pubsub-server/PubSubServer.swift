// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Program
import PubSub
import RxIOUring
import RxSwift

@main
struct PubSubServer: ExampleProgram {
    static let configuration = CommandConfiguration(
        commandName: "pubsub-server",
        abstract: "A publish/subscribe server for lines of text.",
        discussion: """
            Commands, a line each: SUB topic, UNSUB topic, PUB topic payload, PING, STATS, QUIT. Each is answered with a line: \
            +OK, +PONG, +STATS name=number ..., +BYE or -ERR text. Messages come as: MSG topic payload.

            A client that reads too slowly misses messages: when it has caught up, -DROPPED n says how many. \
            SIGINT and SIGTERM end the server: each client gets +BYE behind what it was sent. A second one ends it at once.
            """)

    @Option(help: "The IP address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port; for 0 the system chooses one.")
    var port = 7070

    @Option(help: "How many event loops the connections are spread over; without it, one for each processor.")
    var loops: Int?

    @OptionGroup
    var events: BackendOption

    @Option(help: "How many bytes of messages may wait for a client before messages for it are dropped.")
    var room = 1 << 20

    @Option(help: "How many messages a client may miss in a row before it is disconnected.")
    var mostDropped = 1_000_000

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0...65535, not \(port)") }
        guard loops ?? 1 > 0 else { throw ValidationError("--loops is at least 1") }
        guard room > 0, mostDropped >= 0 else {
            throw ValidationError("--room is positive, --most-dropped not negative")
        }
    }

    func run() async throws {
        // The output is line-buffered even where it is a file or a pipe.
        setvbuf(stdout, nil, _IOLBF, 0)
        let group = IOUringSchedulerGroup(count: loops, name: "pubsub", backend: events.backend)
        defer { group.shutdown() }
        let limits = Limits(room: room, mostDropped: mostDropped)
        let listener = try TCP.listener(
            host: host, port: port, options: limits.connectionOptions, connectionSchedulers: group,
            scheduler: group.schedulers[0])
        print("listening on \(listener.address) (\(group.schedulers.count) loops, \(group.schedulers[0].backend))")

        let server = Server(listener: listener, limits: limits)
        try await server.run(until: Termination.signal(group.schedulers[0])).value
        // The loops tell waiting observers of the end, and have done so when they have ended; the objects above are released after
        // that.
        group.shutdown()
        print("ended: \(server.statistics.line)")
    }
}
