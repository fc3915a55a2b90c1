// SPDX-License-Identifier: Apache-2.0

import PipelineModel

package enum Verdict {
    case same
    /// The first words of the line of KnownDifferences.md that explains the difference.
    case known(String)
    case finding(String)
}

/// Decides if two outcomes are the same, as far as they have to be.
package struct Comparison {
    /// True if disposals, and everything connected with them, are not compared.
    private let ignoresDisposals: Bool

    package init(ignoresDisposals: Bool = false) { self.ignoresDisposals = ignoresDisposals }

    package func judge(_ program: Program, _ mine: Outcome, _ other: Outcome?) -> Verdict {
        switch mine.status {
        case .malformed: return .finding("malformed: \(mine.violations)")
        case .crash: return .finding("crashes")
        case .hang:
            if other?.status == .hang || other == nil && mayBeEndless(program) { return .same }
            // Neither program ends, and in this library no closure runs that would show it in the log.
            if other?.status == .budget, mayBeEndless(program) { return .known(KnownDifference.unseen) }
            return .finding("does not end")
        default: break
        }
        if !mine.violations.isEmpty { return .finding(mine.violations) }
        if other == nil, let entry = callAfterEnd(program, mine) { return .finding("after the end: \(entry)") }
        guard let other, mine.log != other.log || mine.status != other.status else { return .same }
        let haveSameEnd = mine.status == other.status
        if haveSameEnd, Self.normalized(mine, Self.isDisposal) == Self.normalized(other, Self.isDisposal) {
            return .same
        }
        var (left, right) = (Self.normalized(mine, Self.isDisposal), Self.normalized(other, Self.isDisposal))
        if ignoresDisposals {
            // The place of entries that `do` logs behind a terminal event depends on the disposals.
            let isFree = { Self.isDisposal($0) || Self.isAfterTerminal($0) }
            left.removeAll(where: isFree)
            right.removeAll(where: isFree)
            if haveSameEnd, left == right { return .same }
        }
        let pair = LogPair(
            program: program, mine: left, other: right, myStatus: mine.status, otherStatus: other.status)
        if let known = explanation(pair) { return .known(known) }
        if mine.status != other.status { return .finding("ends with \(mine.status), there with \(other.status)") }
        let index =
            zip(left, right).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            ?? min(left.count, right.count)
        let (here, there) = (left.dropFirst(index).first ?? "nothing", right.dropFirst(index).first ?? "nothing")
        return .finding("entry \(index) is \(here), there \(there)")
    }

    /// Compares two runs of a program with one thread.
    func judge(_ program: Program, _ first: Outcome, again second: Outcome) -> Verdict {
        first.log == second.log || first.status == .hang
            ? .same : .finding("another answer the second time: \(second.log)")
    }

    private func mayBeEndless(_ program: Program) -> Bool {
        program.nodes.contains { [.retryWhen, .repeatElement, .interval, .react].contains($0.op) }
    }

    /// Returns the first entry of a stage behind the terminal event that the only observer of its pipeline has received. Operators with
    /// several sources subscribe to the rest of them even so, as in RxSwift; so only chains are looked at.
    private func callAfterEnd(_ program: Program, _ outcome: Outcome) -> Substring? {
        guard program.kind == .sync, program.shared.isEmpty, program.mains.count == 1, program.script.count == 1,
            program.mains[0].all.allSatisfy({ $0.children.count < 2 && ![.startWith, .flaky, .retry].contains($0.op) })
        else { return nil }
        let entries = outcome.log.split(separator: " ")
        guard let end = entries.firstIndex(where: { $0 == ">0c" || $0.hasPrefix(">0e") }) else { return nil }
        // A shared source is subscribed to, and runs until the subscription is complete, even if its only subscriber has left, as in
        // RxSwift.
        let sharing: Set<Operator> = [.share, .publish, .replay, .multicast, .multicastSelector]
        let connected = Set(program.nodes.filter { sharing.contains($0.op) }.flatMap(\.all).map(\.id))
        return entries[(end + 1)...].first { entry in
            !entry.hasPrefix(">") && entry.contains { "nfmsec".contains($0) }
                && !connected.contains(Int(entry.prefix(while: \.isNumber)) ?? 0)
        }
    }

    /// Compares outcomes when the other library's subjects, `amb` and `skip(until:)` are replaced by models of lines of
    /// KnownDifferences.md. Events that are sent from inside callbacks may also meet an operator that is delivering.
    package func judge(_ program: Program, _ mine: Outcome, withModels other: Outcome) -> Verdict {
        let verdict = judge(program, mine, other)
        switch verdict {
        case .finding where other.notes.contains("reaction"): return .known(KnownDifference.nesting)
        case .finding: return verdict
        case .same, .known:
            let notes = other.notes.split(separator: " ")
            if let line = KnownDifference.modelled.last(where: { notes.contains(Substring($0.note)) }) {
                return .known(line.words)
            }
            if case .known = verdict { return verdict }
            // The program never ends, without overflowing the stack: a killed process reports no notes.
            if other.status == .hang, program.nodes.contains(where: { $0.op == .retryWhen }) {
                return .known(KnownDifference.modelled.first { $0.note == "retry" }!.words)
            }
            return .finding("the same with models that note nothing")
        }
    }

    /// Returns the entries of a log without the order that is free: each run of such entries is sorted.
    static func normalized(_ outcome: Outcome, _ isFree: (String) -> Bool) -> [String] {
        var entries = outcome.log.split(separator: " ").map(String.init)
        if outcome.status == .budget {
            while entries.last.map(isFree) == true { entries.removeLast() }
        }
        var start = 0
        while start < entries.count {
            var end = start
            while end < entries.count, isFree(entries[end]) { end += 1 }
            if end > start + 1 { entries[start..<end].sort() }
            start = end + 1
        }
        return entries
    }

    static func isDisposal(_ entry: String) -> Bool { entry.utf8.last == UInt8(ascii: "d") }

    /// True for entries that `do` logs behind a terminal event: their place among the disposals is free.
    static func isAfterTerminal(_ entry: String) -> Bool {
        entry.utf8.last == UInt8(ascii: "C") || entry.contains("E")
    }

    private func explanation(_ pair: LogPair) -> String? {
        let lines = pair.differOnlyInDisposals ? KnownDifference.aboutDisposals : KnownDifference.all
        return lines.first { $0.explains(pair) }?.words
    }
}
