import PipelineModel

enum Verdict {
    case same
    /// A line of KnownDifferences.md tells of it: its first words.
    case known(String)
    case finding(String)
}

/// Decides whether two outcomes are the same, as far as they have to be.
struct Comparison {
    func judge(_ program: Program, _ mine: Outcome, _ other: Outcome?) -> Verdict {
        switch mine.status {
        case .malformed: return .finding("malformed: \(mine.violations)")
        case .crash: return .finding("crashes")
        case .hang where other == nil || other!.status != .hang: return .finding("does not end")
        default: break
        }
        if !mine.violations.isEmpty { return .finding(mine.violations) }
        guard let other else { return .same }
        let (left, right) = (Self.normalized(mine), Self.normalized(other))
        if mine.status == other.status, left == right { return .same }
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

    /// The entries of a log. The order among disposals is free: runs of them are sorted.
    static func normalized(_ outcome: Outcome) -> [String] {
        var entries = outcome.log.split(separator: " ").map(String.init)
        if outcome.status == .budget {
            while entries.last.map(isDisposal) == true { entries.removeLast() }
        }
        var start = 0
        while start < entries.count {
            var end = start
            while end < entries.count, isDisposal(entries[end]) || isAfterTerminal(entries[end]) { end += 1 }
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
        KnownDifference.all.first { $0.explains(pair) }?.words
    }
}
