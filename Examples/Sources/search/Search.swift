// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Program
import RxIOUring
import RxSwift
import Terminal
import TypeAhead

@main
struct Search: ExampleProgram {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Searches the lines of files while you type.",
        discussion: """
            Without files it searches a list of the operators of RxSwift. Enter prints the selected line and ends the \
            program. The search pretends to be a service far away, which takes its time and fails with --failing.

            Exit codes: 0 with a line, 1 when a file cannot be read, 2 without a terminal, 130 after Ctrl-C, 143 after \
            SIGTERM, 129 when the terminal is gone. With a variable NO_COLOR in the environment it uses no colors.
            """)

    @Argument(help: "The files to search.", completion: .file())
    var files: [String] = []

    @Option(help: "The time until the service answers, in milliseconds.")
    var latency = 150

    @Flag(help: "Let two of three requests to the service fail, the first two included.")
    var failing = false

    @OptionGroup
    var events: BackendOption

    func validate() throws {
        guard (0...60_000).contains(latency) else { throw ValidationError("--latency is between 0 and 60000") }
    }

    func run() async throws {
        let scheduler = IOUringScheduler(name: "search", backend: events.backend)
        defer { scheduler.shutdown() }
        let terminal = try Terminal.open(scheduler: scheduler)
        let service = PretendedSearch(
            index: try await index(scheduler), latency: .milliseconds(latency), isFailing: failing,
            scheduler: scheduler)
        let view = SearchView(keys: terminal.keys, size: terminal.size, service: service)
        print(try await terminal.run(view.frames, until: view.chosen).get())
    }

    private func index(_ scheduler: IOUringScheduler) async throws -> LineIndex {
        if files.isEmpty { return LineIndex(operatorList) }
        let lines = try await Observable.concat(files.map { File.lines($0, scheduler: scheduler) }).toArray().value
        return LineIndex(lines.filter { !$0.isEmpty })
    }
}
