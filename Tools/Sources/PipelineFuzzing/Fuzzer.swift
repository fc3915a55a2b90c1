// SPDX-License-Identifier: Apache-2.0

import Foundation
import PipelineModel

/// The settings of a run of the fuzzer.
package struct Plan: Sendable {
    /// The paths of the executables that run programs.
    var runner: String
    var otherRunner: String?
    package var kinds: [Kind]
    package var levels: Int
    package var seed: UInt64
    var count: Int?
    var seconds: Double?
    var jobs: Int
    var stopsAfter: Int
    package var shrinks = true
    /// True if the place of disposals is not compared.
    package var ignoresDisposals = false

    package init(
        runner: String, otherRunner: String?, kinds: [Kind], levels: Int, seed: UInt64, count: Int?, seconds: Double?,
        jobs: Int, stopsAfter: Int, shrinks: Bool
    ) {
        self.runner = runner
        self.otherRunner = otherRunner
        self.kinds = kinds
        self.levels = levels
        self.seed = seed
        self.count = count
        self.seconds = seconds
        self.jobs = jobs
        self.stopsAfter = stopsAfter
        self.shrinks = shrinks
    }

    /// Returns the program of the given index.
    package func program(_ index: Int) -> Program {
        let kind = kinds[index / Self.batchSize % kinds.count]
        return Generator.program(seed: seed &+ UInt64(index), kind: kind, levels: levels)
    }

    /// The number of programs of one kind that a thread takes at once.
    static let batchSize = 128
}

/// Counts of a run, and its findings by signature.
package final class Tally: @unchecked Sendable {
    package init() {}

    private let lock = NSLock()
    // Protected by the lock.
    private var programs = 0
    private var known: [String: Int] = [:]
    private var findings: [String: (finding: Finding, count: Int)] = [:]
    private var next: Int = 0

    package var total: (programs: Int, findings: Int) {
        lock.withLock { (programs, findings.values.reduce(0) { $0 + $1.count }) }
    }
    package var knownDifferences: [String: Int] { lock.withLock { known } }
    package var distinct: [(finding: Finding, count: Int)] {
        lock.withLock {
            findings.values.sorted { ($1.count, $0.finding.program.size) < ($0.count, $1.finding.program.size) }
        }
    }

    /// Takes the next batch of programs, by their index. Returns an empty range if none are left.
    func take(_ size: Int, of count: Int?) -> Range<Int> {
        lock.withLock {
            let end = min(next + size, count ?? Int.max)
            defer { next = end }
            return next..<end
        }
    }

    func add(programs: Int, known: [String: Int]) {
        lock.withLock {
            self.programs += programs
            self.known.merge(known, uniquingKeysWith: +)
        }
    }

    /// Adds a finding. Returns true if it is the first of its signature.
    func add(_ finding: Finding) -> Bool {
        lock.withLock {
            let known = findings[finding.signature]
            findings[finding.signature] = (known?.finding ?? finding, (known?.count ?? 0) + 1)
            return known == nil
        }
    }
}

/// One pair of runners, and the work of one thread with it.
package final class Worker {
    private let mine: Runner
    private let other: Runner?
    private let comparison: Comparison

    package init(_ plan: Plan) {
        comparison = Comparison(ignoresDisposals: plan.ignoresDisposals)
        mine = Runner(path: plan.runner)
        other = plan.otherRunner.map(Runner.init)
    }

    package func outcomes(_ programs: [Program]) -> [(mine: Outcome, other: Outcome?)] {
        var result: [(mine: Outcome, other: Outcome?)] = []
        var rest = programs.map { (text: $0.description, isCompared: other != nil && !$0.kind.hasThreads) }[...]
        while !rest.isEmpty {
            // Input that is written before any output is read has to fit into a pipe.
            var bytes = 0
            let texts = rest.prefix {
                bytes += $0.text.utf8.count + 1
                return bytes < Self.batchBytes
            }
            let chunk = texts.isEmpty ? rest.prefix(1) : texts
            rest = rest.dropFirst(chunk.count)
            let mineTexts = chunk.map(\.text)
            let otherTexts = chunk.filter(\.isCompared).map(\.text)
            mine.send(mineTexts[...])
            if !otherTexts.isEmpty { other?.send(otherTexts[...]) }
            let left = mine.receive(mineTexts)
            var right = (otherTexts.isEmpty ? [] : other?.receive(otherTexts) ?? [])[...]
            result += zip(chunk, left).map { ($1, $0.isCompared ? right.popFirst() : nil) }
        }
        return result
    }

    private static let batchBytes = 48 << 10

    package func judge(_ programs: [Program]) -> [Verdict] {
        zip(programs, outcomes(programs)).map { program, outcome in
            let verdict = comparison.judge(program, outcome.mine, outcome.other)
            if other == nil, case .same = verdict, !program.kind.hasThreads {
                return comparison.judge(program, outcome.mine, again: mine.run(["\(program)"])[0])
            }
            guard case .finding = verdict, let right = outcome.other, outcome.mine.violations.isEmpty else {
                return verdict
            }
            return judgeWithModels(program, outcome.mine, right, verdict)
        }
    }

    /// Judges a finding again, with models of the lines of KnownDifferences.md instead of parts of the library.
    private func judgeWithModels(_ program: Program, _ left: Outcome, _ right: Outcome, _ verdict: Verdict) -> Verdict {
        guard let other else { return verdict }
        var verdict = verdict
        for mark in program.models {
            guard case .finding = verdict else { return verdict }
            verdict = comparison.judge(program, left, withModels: other.run(["\(mark)\(program)"])[0])
        }
        guard case .finding = verdict, program.subscribesLater else { return verdict }
        let postponed = mine.run(["~\(program)"])[0]
        if case .finding = comparison.judge(program, postponed, right) { return verdict }
        return .known(KnownDifference.subscribedLater)
    }

    /// Returns the program made as small as possible, and its error. Returns nil if it does not fail again.
    package func examine(_ program: Program, seed: UInt64?, shrinks: Bool) -> Finding? {
        func findings(_ programs: [Program]) -> [Bool] {
            judge(programs).map { if case .finding = $0 { true } else { false } }
        }
        guard findings([program]) == [true] else { return nil }
        let hangs = outcomes([program])[0].mine.status == .hang
        let small = shrinks ? Shrinker(isSlow: hangs, failing: findings).shrink(program) : program
        guard case .finding(let reason) = judge([small])[0] else { return nil }
        let outcome = outcomes([small])[0]
        return Finding(program: small, seed: seed, reason: reason, mine: outcome.mine, other: outcome.other)
    }

    package func stop() {
        mine.stop()
        other?.stop()
    }
}

extension Program {
    /// The marks that ask for the runner's models: none, some, all.
    var models: [String] {
        let hasModels = nodes.contains { node in
            node.op.shape.use == .sharedOnly
                || [.share, .publish, .replay, .multicast, .multicastSelector, .amb, .skipUntil, .retryWhen, .groupBy]
                    .contains(node.op)
        }
        if !hasModels { return [] }
        return nodes.contains { $0.op.combinesSources } ? ["!", "!!"] : ["!"]
    }

    /// True if an operator may subscribe to a source when a timer fires or a subject emits.
    var subscribesLater: Bool { emitsLater && nodes.contains(where: \.op.subscribesLater) }

    /// True if a source emits after the subscription of the pipelines.
    var emitsLater: Bool { kind != .sync || script.contains { $0.verb != .subscribe && $0.verb != .dispose } }
}

extension Operator {
    /// True if the operator subscribes to several sources that stand beside each other.
    var combinesSources: Bool { shape.sources.upperBound > 1 }
}

/// Runs a plan on several threads.
package struct Fuzzer {
    private let plan: Plan
    private let report: @Sendable (Finding) -> Void

    package init(plan: Plan, report: @escaping @Sendable (Finding) -> Void) {
        self.plan = plan
        self.report = report
    }

    package func run(_ tally: Tally) {
        let end = plan.seconds.map { Date(timeIntervalSinceNow: $0) }
        let group = DispatchGroup()
        for _ in 0..<plan.jobs {
            group.enter()
            Thread.detachNewThread {
                work(tally, until: end)
                group.leave()
            }
        }
        let start = Date()
        while group.wait(timeout: .now() + 5) == .timedOut { progress(tally, since: start) }
        progress(tally, since: start)
    }

    private func progress(_ tally: Tally, since start: Date) {
        let (programs, findings) = tally.total
        let seconds = max(0.001, -start.timeIntervalSinceNow)
        let line = "\(programs) programs, \(Int(Double(programs) / seconds)) a second, \(findings) findings\n"
        FileHandle.standardError.write(Data(line.utf8))
    }

    private func work(_ tally: Tally, until end: Date?) {
        let worker = Worker(plan)
        defer { worker.stop() }
        while end.map({ $0 > Date() }) ?? true, tally.total.findings < plan.stopsAfter {
            let batch = tally.take(Plan.batchSize, of: plan.count)
            if batch.isEmpty { return }
            let programs = batch.map(plan.program)
            var known: [String: Int] = [:]
            for (index, verdict) in worker.judge(programs).enumerated() {
                switch verdict {
                case .same: break
                case .known(let words): known[words, default: 0] += 1
                case .finding:
                    let finding = worker.examine(
                        programs[index], seed: plan.seed &+ UInt64(batch.lowerBound + index), shrinks: plan.shrinks)
                    if let finding, tally.add(finding) { report(finding) }
                }
            }
            tally.add(programs: programs.count, known: known)
        }
    }
}
