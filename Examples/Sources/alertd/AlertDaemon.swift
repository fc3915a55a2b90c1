// SPDX-License-Identifier: Apache-2.0

import Alerting
import ArgumentParser
import Program
import RxIOUring
import RxSwift

@main
struct AlertDaemon: ExampleProgram {
    static let configuration = CommandConfiguration(
        commandName: "alertd",
        abstract: "Takes measurements over TCP, and reports metrics that exceed a limit.",
        discussion: """
            A client sends lines: a name, a space and a number. When the mean of a metric exceeds --limit and stays there for \
            --settling seconds, a line 'HIGH name mean' is printed and sent to --sink; when it is normal again, 'OK name mean'.

            SIGINT and SIGTERM end it: it accepts no more, writes the journal to its end, and delivers the alerts that wait, within \
            five seconds; it names those that it could not deliver. A second one ends it at once.
            """)

    @Option(help: "The IP address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port; for 0 the system chooses one.")
    var port = 7171

    @Option(help: "HOST:PORT: alerts are sent there, each on a connection of its own.")
    var sink: Address?

    @Option(help: "Every measurement is written to the end of this file.", completion: .file())
    var journal = "/dev/null"

    @Option(help: "A metric is high while its mean exceeds this.")
    var limit = 90.0

    @Option(help: "The length of a window in seconds.")
    var span = 10.0

    @Option(help: "How many seconds a change has to last.")
    var settling = 20.0

    @Option(help: "After so many seconds without a value a metric is normal again.")
    var silence = 60.0

    @Option(help: "How many clients are served at a time.")
    var clients = 100

    @Option(help: "A client that sends no line for so many seconds is disconnected.")
    var idle = 60.0

    @OptionGroup
    var events: BackendOption

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0...65535, not \(port)") }
        guard !limit.isNaN else { throw ValidationError("--limit is a number") }
        guard span > 0, settling > 0, silence > 0, idle > 0, clients > 0 else {
            throw ValidationError("--span, --settling, --silence, --idle and --clients are positive")
        }
    }

    func run() async throws {
        Console.bufferLines()
        let loop = IOUringScheduler(name: "alertd", backend: events.backend)
        defer { loop.shutdown() }
        try await ExitSentence.exiting {
            let file = try await File.open(journal, mode: .append, writeLimit: 1 << 20, scheduler: loop).value
            let listener = try TCP.listener(host: host, port: port, scheduler: loop)
            print("listening on \(listener.address) (\(loop.backend))")
            let server = AlertServer(
                intake: Intake(listener: listener, mostClients: clients, idle: .seconds(idle)), journal: file,
                rule: rule,
                delivery: Delivery(sink: sink, scheduler: loop))
            try await server.run(until: Termination.signal(loop)).value
        }
        print("ended")
    }

    private var rule: AlertRule {
        var rule = AlertRule()
        rule.limit = limit
        rule.span = .seconds(span)
        rule.settling = .seconds(settling)
        rule.silence = .seconds(silence)
        return rule
    }
}

struct Address: ExpressibleByArgument {
    let host: String
    let port: Int

    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":"), let port = Int(argument[argument.index(after: colon)...]),
            colon > argument.startIndex, (1...65_535).contains(port)
        else { return nil }
        host = String(argument[..<colon])
        self.port = port
    }
}

extension RxTimeInterval {
    fileprivate static func seconds(_ seconds: Double) -> RxTimeInterval {
        .milliseconds(Int(min(seconds, 1e9) * 1_000))
    }
}
