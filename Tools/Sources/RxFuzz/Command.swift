// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PipelineFuzzing
import PipelineModel

@main
struct RxFuzz: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Tools/rx-fuzz",
        abstract: "Runs random pipelines through this package, and compares with another one of the same API.",
        discussion: """
            Each program, some pipelines and a script, is run by a process that uses nothing but public API. Without \
            --against the laws alone are checked: grammar, no overlap, no nesting, release, an end. With it the logs of \
            both packages are compared: every event, closure call and subscription in order; the order among disposals is \
            free. What a line of KnownDifferences.md explains is counted under the first words of that line.

            With --io as the first option it runs programs of connections, files and timers instead: see --io --help.

            A finding is shrunk and printed as Swift. Exit code: 0 if there is none, 1 if there are, 2 for wrong usage or if \
            something does not build.
            """)

    /// Exits with 2 for wrong usage, as the scripts do. The parser's own code is 64.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            FileHandle.standardError.write(Data("\(fullMessage(for: error))\n".utf8))
            Foundation.exit(2)
        }
    }

    @Option(help: ArgumentHelp("Another package with the modules RxSwift, RxRelay and RxTest.", valueName: "path"))
    var against: String?
    @Option(help: .hidden) var runner: String
    @Option(help: .hidden) var otherRunner: String?
    @Flag(help: "Runs the unit tests of the fuzzer itself instead.") var selfTest = false
    @Option(
        help:
            "Which programs: sync, virtual, reentrant, threads, pressure; several times for several. All if not given.")
    var kind: [Kind] = []
    @Option(help: "How deep pipelines are nested in pipelines.") var levels = 2
    @Option(help: "The seed of the first program; each next one has the next.") var seed: UInt64?
    @Option(help: "How many programs to run.") var count: Int?
    @Option(help: "How long to run. Without --count: 60.") var seconds: Double?
    @Option(help: "How many threads run programs, each with processes of its own.") var jobs = 2
    @Option(help: "After how many findings to stop.") var findings = 100
    @Option(help: ArgumentHelp("Runs one program again: its seed or its text.", valueName: "seed|text"))
    var replay: String?
    @Flag(help: "Compares without disposals.") var ignoreDisposals = false
    @Flag(help: "Does not make findings smaller.") var noShrink = false
    @Flag(help: "Prints the programs instead of running them.") var list = false
    @Flag(help: "Prints a table of the findings, most frequent first, without Swift.") var table = false

    func validate() throws {
        if levels < 1 || levels > 5 { throw ValidationError("--levels is 1 to 5.") }
        if jobs < 1 { throw ValidationError("--jobs is at least 1.") }
    }

    func run() throws {
        // A runner that dies closes its pipe. The writer has to notice that.
        signal(SIGPIPE, SIG_IGN)
        var plan = Plan(
            runner: runner, otherRunner: otherRunner, kinds: kind.isEmpty ? Kind.allCases : kind, levels: levels,
            seed: seed ?? UInt64.random(in: 0..<1 << 48), count: count, seconds: seconds ?? (count == nil ? 60 : nil),
            jobs: jobs, stopsAfter: findings, shrinks: !noShrink)
        plan.ignoresDisposals = ignoreDisposals
        if let replay { return try replayed(replay, plan) }
        if list {
            for index in 0..<(count ?? 100) { print(plan.program(index)) }
            return
        }
        print("first seed \(plan.seed); to repeat one: --replay SEED --kind KIND")
        let tally = Tally()
        let table = table
        Fuzzer(plan: plan) { if !table { print($0.report) } }.run(tally)
        for (words, count) in tally.knownDifferences.sorted(by: { $0.value > $1.value }) {
            print("\(count) differ by: \(words)")
        }
        let (programs, findings) = tally.total
        if table {
            for (finding, count) in tally.distinct {
                print("\(count) x \(finding.seed.map(String.init) ?? ""): \(finding.program)\n    \(finding.reason)")
                print("    here  \(finding.mine.log)\n    there \(finding.other?.log ?? "")")
            }
        }
        print("\(programs) programs, \(findings) findings, \(tally.distinct.count) kinds of finding")
        if findings > 0 { throw ExitCode(1) }
    }

    private func replayed(_ text: String, _ plan: Plan) throws {
        let program: Program
        if let seed = UInt64(text) {
            guard kind.count == 1 else {
                throw ValidationError("A seed makes one program of each kind: give --kind, too.")
            }
            program = Generator.program(seed: seed, kind: plan.kinds[0], levels: plan.levels)
        } else {
            do { program = try Program(parsing: text) } catch { throw ValidationError("\(error)") }
        }
        let worker = Worker(plan)
        defer { worker.stop() }
        let outcome = worker.outcomes([program])[0]
        print("text: \(program)\nhere:  \(outcome.mine.status) \(outcome.mine.log) \(outcome.mine.violations)")
        if let other = outcome.other { print("there: \(other.status) \(other.log)") }
        switch worker.judge([program])[0] {
        case .same: print("the same\n\(SwiftPrinter.text(program))")
        case .known(let words): print("differs by: \(words)\n\(SwiftPrinter.text(program))")
        case .finding:
            if let finding = worker.examine(program, seed: UInt64(text), shrinks: plan.shrinks) {
                print(finding.report)
            }
            throw ExitCode(1)
        }
    }
}

extension Kind: ExpressibleByArgument {}
