// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A run of the fuzzer.
final class Fuzzing {
    private let settings: Settings
    private let runner: Runner
    private var programs = 0
    private var findings = 0
    /// The number of programs with TCP connections whose second run was another one.
    private var otherOrders = 0
    /// The number of findings by reason, without numbers.
    private var reasons: [String: Int] = [:]
    private let start = time(nil)
    private var lastProgress = time(nil)

    init(_ settings: Settings) {
        self.settings = settings
        runner = Runner(settings.family, jobs: settings.jobs)
    }

    /// Returns the exit code.
    func run() -> CInt {
        defer { runner.close() }
        if let seed = settings.replay { return replay(seed) }
        let first = settings.seed ?? .random(in: 0..<1 << 32)
        if settings.lists {
            for seed in first..<first + UInt64(settings.count ?? 10) { print(settings.family.program(seed: seed).text) }
            return 0
        }
        print("seed \(first)")
        let end = (settings.seconds ?? (settings.count == nil ? 60 : nil)).map { start + $0 }
        var next = first
        var failed: [Outcome] = []
        runner.run {
            if let count = settings.count, next >= first + UInt64(count) { return nil }
            if let end, time(nil) >= end { return nil }
            if findings >= settings.findings { return nil }
            defer { next += 1 }
            return (next, [])
        } ended: { outcome in
            programs += 1
            if outcome.isFault {
                findings += 1
                failed.append(outcome)
                // The report, which takes a smaller program, comes at the end.
                fputs("seed \(outcome.seed): \(outcome.reason)\n", stderr)
            } else if settings.runsTwice {
                failed.append(outcome)
            }
            showProgress()
        }
        for outcome in failed {
            if outcome.isFault { report(outcome) } else { compare(outcome) }
        }
        for (reason, count) in reasons.sorted(by: { $0.value > $1.value }) { print("\(count) x \(reason)") }
        if settings.runsTwice { print("\(otherOrders) programs with TCP connections had two traces") }
        print("\(programs) programs, \(findings) findings, \(reasons.count) different")
        return findings > 0 ? 1 : 0
    }

    private func showProgress() {
        if time(nil) - lastProgress < 5 { return }
        lastProgress = time(nil)
        let seconds = max(1, time(nil) - start)
        fputs("\(programs) programs, \(programs / seconds) a second, \(findings) findings\n", stderr)
    }

    private func compare(_ outcome: Outcome) {
        let again = runner.run(outcome.seed, without: outcome.without)
        if again.trace == outcome.trace, !again.isFault { return }
        // The kernel's network has threads of its own, which seldom come to another order.
        if !again.isFault, outcome.program.usesTCP {
            otherOrders += 1
            return
        }
        findings += 1
        reasons["another trace", default: 0] += 1
        print(
            "seed \(outcome.seed): not repeatable: \(outcome.trace ?? ""), then \(again.trace ?? again.reason)")
    }

    private func replay(_ seed: UInt64) -> CInt {
        print(settings.family.program(seed: seed).without(settings.without).text)
        runner.traces = settings.traces
        let outcome = runner.run(seed, without: settings.without)
        print(outcome.output, terminator: "")
        if outcome.isFault { print("FOUND: \(outcome.reason)") }
        return outcome.isFault ? 1 : 0
    }

    private func report(_ outcome: Outcome) {
        let reason = outcome.reason
        let signature = outcome.signature
        reasons[signature, default: 0] += 1
        if reasons[signature]! > 1 {
            return print("seed \(outcome.seed): \(reason)")
        }
        let left = settings.shrinks ? shrink(outcome) : []
        let without = left.isEmpty ? "" : " --without \(left.sorted().map(String.init).joined(separator: ","))"
        print("\nFOUND: \(reason)\n\(outcome.program.without(left).text)")
        print(outcome.output, terminator: "")
        print(
            "again: Tools/rx-fuzz --io \(settings.family == .handles ? "--handles " : "")--replay \(outcome.seed)\(without)\n"
        )
    }

    /// Returns the numbers of the steps that a finding does not need.
    private func shrink(_ outcome: Outcome) -> Set<Int> {
        var left: Set<Int> = []
        for number in (0..<outcome.program.size).reversed() where outcome.status != nil {
            let smaller = runner.run(outcome.seed, without: left.union([number]))
            if smaller.isFault, smaller.signature == outcome.signature { left.insert(number) }
        }
        return left
    }
}
