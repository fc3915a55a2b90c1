import PipelineModel

package enum Verdict {
    case same
    /// A line of KnownDifferences.md tells of it: its first words.
    case known(String)
    case finding(String)
}

/// Decides whether two outcomes are the same, as far as they have to be.
package struct Comparison {
    /// Whether nothing that has to do with disposals is compared.
    private let ignoresDisposals: Bool

    package init(ignoresDisposals: Bool = false) { self.ignoresDisposals = ignoresDisposals }

    package func judge(_ program: Program, _ mine: Outcome, _ other: Outcome?) -> Verdict {
        switch mine.status {
        case .malformed: return .finding("malformed: \(mine.violations)")
        case .crash: return .finding("crashes")
        case .hang:
            if other?.status == .hang || other == nil && mayBeEndless(program) { return .same }
            // Neither ends, and here no closure runs that tells of it.
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
            // What `do` runs behind a terminal event is where the disposal lets it be.
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

    /// Whether two runs of a program with one thread are the same.
    func judge(_ program: Program, _ first: Outcome, again second: Outcome) -> Verdict {
        first.log == second.log || first.status == .hang
            ? .same : .finding("another answer the second time: \(second.log)")
    }

    private func mayBeEndless(_ program: Program) -> Bool {
        program.nodes.contains { [.retryWhen, .repeatElement, .interval, .react].contains($0.op) }
    }

    /// What a stage does though the only observer of its pipeline has got its terminal event. Operators with several sources
    /// subscribe to the rest of them even so, as in RxSwift; so only chains are looked at.
    private func callAfterEnd(_ program: Program, _ outcome: Outcome) -> Substring? {
        guard program.kind == .sync, program.shared.isEmpty, program.mains.count == 1, program.script.count == 1,
            program.mains[0].all.allSatisfy({ $0.children.count < 2 && ![.startWith, .flaky, .retry].contains($0.op) })
        else { return nil }
        let entries = outcome.log.split(separator: " ")
        guard let end = entries.firstIndex(where: { $0 == ">0c" || $0.hasPrefix(">0e") }) else { return nil }
        // A shared source is subscribed to, and runs until that has been done, also if its only subscriber has left, as in RxSwift.
        let sharing: Set<Operator> = [.share, .publish, .replay, .multicast, .multicastSelector]
        let connected = Set(program.nodes.filter { sharing.contains($0.op) }.flatMap(\.all).map(\.id))
        return entries[(end + 1)...].first { entry in
            !entry.hasPrefix(">") && entry.contains { "nfmsec".contains($0) }
                && !connected.contains(Int(entry.prefix(while: \.isNumber)) ?? 0)
        }
    }

    /// Whether the outcomes are the same when the other library's subjects, `amb` and `skip(until:)` are replaced by models of what
    /// lines of KnownDifferences.md say. Where events are sent from inside callbacks, they may also meet an operator that is delivering.
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
            // It never ends, without overflowing the stack: what is killed tells no notes.
            if other.status == .hang, program.nodes.contains(where: { $0.op == .retryWhen }) {
                return .known(KnownDifference.modelled.first { $0.note == "retry" }!.words)
            }
            return .finding("the same with models that note nothing")
        }
    }

    /// The entries of a log, without which order is free: runs of such entries are sorted.
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

    /// What `do` runs behind a terminal event, whose place among the disposals is free.
    static func isAfterTerminal(_ entry: String) -> Bool {
        entry.utf8.last == UInt8(ascii: "C") || entry.contains("E")
    }

    private func explanation(_ pair: LogPair) -> String? {
        let lines = pair.differOnlyInDisposals ? KnownDifference.aboutDisposals : KnownDifference.all
        return lines.first { $0.explains(pair) }?.words
    }
}
