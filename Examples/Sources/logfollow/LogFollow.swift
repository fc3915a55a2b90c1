// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LogFollowing
import LogLines
import Program
import RxIOUring
import RxSwift

@main
struct LogFollow: ExampleProgram {
    static let configuration = CommandConfiguration(
        commandName: "logfollow",
        abstract: "Follows log files, and prints each second how many lines each key had.",
        discussion: """
            Files are followed by name: they may be truncated, rotated, or come later. The key of a line is a part of the \
            common log format (--key), a word of it (--word), or what a regular expression matches (--pattern). SIGINT and \
            SIGTERM end it, with a total.

            With --generate it writes a sample log instead, at --rate lines per second.
            """)

    @Argument(help: "The files to follow.", completion: .file())
    var files: [String] = []

    @OptionGroup
    var grouping: LineKeyOptions

    @Flag(help: "Begin with what is in the files already.")
    var fromBeginning = false

    @Option(help: "How many keys to print each second.")
    var top = 10

    @Flag(help: "Print tables one below the other, as is done anyway when the output is no terminal.")
    var plain = false

    @Option(help: "Write a sample log to the end of this file.", completion: .file())
    var generate: String?

    @Option(help: "Lines per second of the sample log.")
    var rate = 1_000

    @Option(help: "End after so many seconds.")
    var seconds: Double?

    @OptionGroup
    var events: BackendOption

    func validate() throws {
        guard files.isEmpty == (generate != nil) else {
            throw ValidationError("name files to follow, or --generate a log")
        }
        guard top > 0, rate > 0, seconds ?? 1 > 0 else {
            throw ValidationError("--top, --rate and --seconds are positive")
        }
    }

    func run() async throws {
        setvbuf(stdout, nil, _IOLBF, 0)
        let scheduler = IOUringScheduler(name: "logfollow", backend: events.backend)
        defer { scheduler.shutdown() }
        if let generate {
            let bytes = try await SampleLogWriter(path: generate, rate: rate, scheduler: scheduler)
                .write(until: stop(scheduler)).value
            print("\(bytes) bytes written to \(generate)")
        } else {
            try await follow(scheduler)
        }
    }

    private func follow(_ scheduler: IOUringScheduler) async throws {
        let rates = LineRates(
            files: files, start: fromBeginning ? .beginning : .end, key: try grouping.lineKey(default: .status),
            scheduler: scheduler)
        let screen = Screen(rows: top, isTerminal: !plain && isatty(STDOUT_FILENO) != 0)
        let total = try await rates.tables(until: stop(scheduler))
            .do(onNext: { table in screen.show(table) })
            .reduce(0) { total, table in total + table.total }
            .asSingle().value
        print("in all \(total) lines")
    }

    /// Emits when a signal comes or the time is over.
    private func stop(_ scheduler: IOUringScheduler) -> Observable<Void> {
        let signal = Termination.signal(scheduler).map { _ in }
        guard let seconds else { return signal }
        return signal.amb(
            Observable<Int>.timer(.nanoseconds(Int(seconds * 1e9)), scheduler: scheduler).map { _ in })
    }
}
