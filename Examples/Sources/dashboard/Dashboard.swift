// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LogFollowing
import LogLines
import Program
import RxIOUring
import RxSwift

@main
struct Dashboard: ExampleProgram {
    static let configuration = CommandConfiguration(
        commandName: "dashboard",
        abstract: "Shows in the browser how many lines a log file gets, and which keys they have.",
        discussion: """
            The log is followed by name, from its end: it may be truncated, rotated, or come later. The key of a line is a part of \
            the common log format (--key; without it, the path), a word of it (--word), or what a regular expression matches \
            (--pattern). SIGINT and SIGTERM end it.

            --demo shows a log that is made up.
            """)

    @Argument(help: "The log file.", completion: .file())
    var file: String?

    @Flag(help: "Write a sample log to a temporary file, and show that.")
    var demo = false

    @Flag(help: "Write a sample log to the end of the file meanwhile.")
    var generate = false

    @Option(help: "Lines per second of the sample log.")
    var rate = 500

    @OptionGroup
    var grouping: LineKeyOptions

    @Option(help: "How many keys to show.")
    var top = 10

    @Option(help: "The IP address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port; for 0 the system chooses one.")
    var port = 8080

    @OptionGroup
    var events: BackendOption

    func validate() throws {
        guard demo == (file == nil) else { throw ValidationError("name a log file, or take --demo") }
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0...65535, not \(port)") }
        guard top > 0, rate > 0 else { throw ValidationError("--top and --rate are positive") }
    }

    func run() async throws {
        Console.bufferLines()
        let loop = IOUringScheduler(name: "dashboard", backend: events.backend)
        defer { loop.shutdown() }
        let path = file ?? "/tmp/dashboard-demo-\(getpid()).log"
        defer { if demo { unlink(path) } }
        let stop = Termination.signal(loop).map { _ in }

        try await ExitSentence.exiting {
            let listener = try TCP.listener(
                host: host, port: port, options: BrowserSession.options, scheduler: loop)
            print("http://\(listener.address) shows \(path) (\(loop.backend))")
            if !demo, !generate, access(path, F_OK) != 0 {
                Console.report("\(path) does not exist yet: waiting for it")
            }
            let sample = sample(path, until: stop, loop).subscribe(onError: { Console.report("\($0)") })
            defer { sample.dispose() }
            let rates = LineRates(
                files: [path], start: .end, key: try grouping.lineKey(default: .path), scheduler: loop)
            try await DashboardServer(listener: listener, rates: rates, file: path, top: top).run(until: stop).value
        }
        print("ended")
    }

    /// Writes the sample log, if there is to be one. That of the demo is emptied each minute, so that it does not fill the disk.
    private func sample(_ path: String, until stop: Observable<Void>, _ loop: IOUringScheduler) -> Observable<Int> {
        let writer = SampleLogWriter(
            path: path, mode: demo ? .replace : .append, rate: rate, swing: 0.6, scheduler: loop)
        if demo {
            return Observable<Int>.interval(.seconds(60), scheduler: loop)
                .startWith(0)
                .take(until: stop)
                .flatMapLatest { _ in writer.write(until: stop) }
        }
        return generate ? writer.write(until: stop).asObservable() : .empty()
    }
}
