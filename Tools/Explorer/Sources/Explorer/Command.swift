// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CExplorer
import Glibc

@main
struct Explorer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Tools/explore",
        abstract:
            "Runs the library's own code under all schedules, within bounds, and under all values that loads may return."
    )

    @Option(help: "Only scenarios whose name contains this. May be given several times.")
    var scenario: [String] = []

    @Flag(help: "Only names the scenarios.")
    var list = false

    @Option(help: "How often a thread that could go on is interrupted, at most. Each scenario has a number of its own.")
    var preemptions: Int?

    @Option(help: "How many loads of an execution return something else than the newest value, at most.")
    var stale: Int?

    @Option(help: "Walks at random from this seed, instead of depth first.")
    var seed: UInt64?

    @Option(help: "Seconds for all scenarios together.")
    var seconds = 120.0

    @Option(help: "Executions of each scenario, at most.")
    var executions: UInt64?

    @Option(
        help: "Repeats one execution of the one scenario chosen, from the text that a failure printed, and prints it.")
    var replay: String?

    @Flag(help: "Also runs schedules that are equivalent to others.")
    var noReduction = false

    @Flag(help: "Looks at atomic words and locks only, not at accesses to plain memory: several times as fast.")
    var wordsOnly = false

    @Flag(help: "Prints only failures.")
    var quiet = false

    @Flag(help: "Tests the explorer itself.")
    var selfTest = false

    func run() throws {
        if selfTest {
            if !SelfTest.run() { throw ExitCode(1) }
            return
        }
        let chosen =
            scenario.isEmpty
            ? Scenario.all
            : (Scenario.all + Scenario.findings).filter { one in scenario.contains { one.name.contains($0) } }
        if chosen.isEmpty { throw ValidationError("no scenario's name contains that; --list names them") }
        if list {
            for one in chosen { print("\(one.name): \(one.claim)") }
            return
        }
        if replay != nil, chosen.count != 1 {
            throw ValidationError("--replay needs one scenario; choose it with --scenario")
        }
        setvbuf(stdout, nil, _IOLBF, 0)
        var hasFailed = false
        var left = seconds
        var total: (executions: UInt64, seconds: Double) = (0, 0)
        for (index, one) in chosen.enumerated() {
            var search = Search()
            search.preemptions = preemptions
            search.staleLoads = stale
            search.reduces = !noReduction
            search.checksMemory = !wordsOnly
            search.seed = seed ?? 0
            search.maxExecutions = executions ?? .max
            search.maxSeconds = left / Double(chosen.count - index)
            search.replay = replay
            let result = one.explore(search)
            left = max(0.5, left - result.seconds)
            total.executions += result.executions
            total.seconds += result.seconds
            if Int(result.outcome) == RX_FAILED {
                hasFailed = true
                report(one, result)
            } else if replay != nil {
                Schedule.print()
                print("passed")
            } else if !quiet {
                print(line(one, result))
            }
        }
        if !quiet, replay == nil {
            print("\(total.executions) schedules, \(Int(Double(total.executions) / max(total.seconds, 1e-6))) a second")
        }
        if hasFailed { throw ExitCode(1) }
    }

    private func line(_ scenario: Scenario, _ result: rx_result) -> String {
        let rate = Int(Double(result.executions) / max(result.seconds, 1e-6))
        let end = Int(result.outcome) == RX_COMPLETE ? "all" : "not all: the time is up"
        return
            "passed  \(scenario.name)  \(result.executions) schedules (\(end)), \(rate) a second, up to \(result.longest) steps"
    }

    private func report(_ scenario: Scenario, _ result: rx_result) {
        print("FAILED  \(scenario.name)  \(String(cString: rx_failure()))")
        let places = Schedule.failurePlaces()
        if !places.isEmpty { print("  at \(places.joined(separator: ", earlier "))") }
        print("  claim: \(scenario.claim)")
        print("  schedule \(result.executions), its \(rx_step_count()) steps:")
        Schedule.print()
        print("  again: Tools/explore --scenario \(scenario.name) --replay '\(String(cString: rx_choices()))'")
    }
}
