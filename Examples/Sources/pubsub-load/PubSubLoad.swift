// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Program
import RxIOUring
import RxSwift

@main
struct PubSubLoad: ExampleProgram {
    static let configuration = CommandConfiguration(
        commandName: "pubsub-load",
        abstract: "Loads a pubsub-server, and checks what it delivers.",
        discussion: """
            Publisher n sends to topic n modulo the number of topics, and so do subscribers subscribe. Prints throughput, and \
            how long messages took from publisher to subscriber. Fails if a message was lost (and the server did not say that \
            it dropped it), came twice or overtook another one of its publisher.
            """)

    @Option(help: "The server's name or address.")
    var host = "127.0.0.1"

    @Option(help: "The server's port.")
    var port = 7070

    @Option(help: "Connections that publish.")
    var publishers = 4

    @Option(help: "Connections that subscribe to one topic each.")
    var subscribers = 8

    @Option(help: "How many of the subscribers read slowly: 16 KiB in 10 milliseconds.")
    var slow = 0

    @Option(help: "Topics.")
    var topics = 4

    @Option(help: "Bytes of a message's payload; at least what the stamp in it takes, some 30.")
    var size = 64

    @Option(help: "Messages per second of each publisher; without it, as many as the window lets through.")
    var rate: Int?

    @Option(help: "Messages that a publisher has under way, when there is no rate.")
    var window = 64

    @Option(help: "Seconds for which messages are published.")
    var seconds = 5.0

    @Option(help: "Event loops of this client.")
    var loops = 1

    @OptionGroup
    var events: BackendOption

    func validate() throws {
        guard (1...65_535).contains(port) else { throw ValidationError("--port is 1...65535, not \(port)") }
        for (name, value) in [
            ("publishers", publishers), ("topics", topics), ("window", window), ("loops", loops), ("rate", rate ?? 1),
        ] {
            guard value > 0 else { throw ValidationError("--\(name) is at least 1, not \(value)") }
        }
        guard subscribers >= 0 else { throw ValidationError("--subscribers is not negative") }
        guard (0...subscribers).contains(slow) else {
            throw ValidationError("--slow is 0...\(subscribers), not \(slow)")
        }
        guard (0...60_000).contains(size) else { throw ValidationError("--size is 0...60000, not \(size)") }
        guard seconds > 0 else { throw ValidationError("--seconds is positive") }
    }

    func run() async throws {
        let group = IOUringSchedulerGroup(count: loops, name: "load", backend: events.backend)
        defer { group.shutdown() }
        let report = try await Load(plan: self, group: group).run()
        report.print()
        if !report.violations.isEmpty { throw ExitCode(1) }
    }
}
