import PipelineModel

/// Two logs, their entries normalized, and the program that wrote them.
package struct LogPair {
    let program: Program
    let mine: [String]
    let other: [String]
    let myStatus: Outcome.Status
    let otherStatus: Outcome.Status

    func contains(_ op: Operator...) -> Bool { program.nodes.contains { op.contains($0.op) } }

    /// Whether both logs have the same entries, in whatever order.
    var haveSameEntries: Bool { mine.sorted() == other.sorted() }
}

/// A line of KnownDifferences.md, and when it explains that two logs differ.
package struct KnownDifference: Sendable {
    /// The first words of the line.
    package let words: String
    let explains: @Sendable (LogPair) -> Bool

    /// The lines about subjects, by what the runner's model of a subject notes, the one that says most last.
    package static let aboutSubjects: [(note: String, words: String)] = [
        ("departures", "An observer that leaves hands its place to the next subscriber"),
        ("nested", "An event emitted from inside a callback is delivered at once, nested"),
        ("newcomer", "A newcomer subscribed inside a PublishSubject's handler misses"),
        ("disposed", "An observer disposed of by an earlier one during the same emission"),
    ]
    static let nesting = aboutSubjects[1].words
    package static let disposals = "A source that ends by itself is disposed of before or after"

    package static let all: [KnownDifference] = [
        KnownDifference(words: "Hangs on `subject.flatMap { .repeatElement($0) }.take(2)`") {
            $0.otherStatus == .hang || $0.otherStatus == .budget && $0.myStatus == .ok
        },
        KnownDifference(words: "Runs `map` and `do` for events after `take(1)` was satisfied") {
            runsUnseenClosures($0)
        },
        KnownDifference(words: "`groupBy` completes its groups in a dictionary's order") { pair in
            pair.haveSameEntries && pair.program.nodes.contains { $0.op == .groupBy && $0.numbers[0] > 1 }
        },
        KnownDifference(words: "`share()` and `share(replay:)` keep their source subscribed") { keepsSharedSource($0) },
        KnownDifference(words: "`amb` drops its winner when a loser ends") { pair in
            pair.contains(.amb) && isPart(pair.other, of: pair.mine)
        },
        KnownDifference(words: "`skip(until:)` passes on an error that its trigger sends") { pair in
            guard pair.contains(.skipUntil) else { return false }
            let (mine, other) = (withoutDisposals(pair.mine), withoutDisposals(pair.other))
            let index = zip(mine, other).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            let differing = index ?? min(mine.count, other.count)
            return differing < other.count && isError(other[differing])
        },
        KnownDifference(words: "An operator with several sources that ends while it is still subscribing") { pair in
            !pair.program.shared.isEmpty && isPart(pair.other, of: pair.mine)
                && withoutDisposals(pair.mine).filter { $0.first == ">" }
                    == withoutDisposals(pair.other).filter { $0.first == ">" }
        },
    ]

    private static func withoutDisposals(_ log: [String]) -> [String] { log.filter { !Comparison.isDisposal($0) } }

    /// Whether one log is what remains of another one when entries are taken out, apart from disposals.
    private static func isPart(_ part: [String], of whole: [String]) -> Bool {
        var rest = withoutDisposals(whole)[...]
        for entry in withoutDisposals(part) {
            guard let index = rest.firstIndex(of: entry) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }

    /// Whether an entry is an error event: `>0e5`, `2e1`.
    private static func isError(_ entry: String) -> Bool {
        entry.drop { $0 == ">" || $0.isNumber }.first == "e"
    }

    /// Whether nothing but disposals above a `share` come later in the other log.
    private static func keepsSharedSource(_ pair: LogPair) -> Bool {
        let shared = pair.program.nodes.filter { $0.op == .share }.flatMap(\.all).map(\.id)
        var disposed: [String: Int] = [:]
        var (left, right) = (0, 0)
        while left < pair.mine.count || right < pair.other.count {
            let here = left < pair.mine.count ? pair.mine[left] : ""
            let there = right < pair.other.count ? pair.other[right] : ""
            if here == there {
                left += 1
                right += 1
            } else if Comparison.isDisposal(here), shared.contains(Int(here.prefix { $0.isNumber }) ?? 0) {
                disposed[here, default: 0] += 1
                left += 1
            } else if let count = disposed[there], count > 0 {
                disposed[there] = count - 1
                right += 1
            } else {
                return false
            }
        }
        return true
    }

    /// Operators that can end while their source goes on.
    private static func canEndEarly(_ node: Node) -> Bool {
        switch node.op {
        case .take, .takeWhile, .takeUntilPredicate, .elementAt, .first, .only, .onlyWhere, .asSingle, .takeUntil,
            .takeFor,
            .amb, .zip, .combineLatest, .merge, .withLatestFrom, .sample, .skipUntil, .timeout, .timeoutOther, .concat,
            .concatWith, .catchSequence, .andThen, .ifEmptySwitch, .asMaybe:
            true
        case .doEvents: node.numbers[0] == 0 && node.numbers[1] > 0
        case .map, .filter, .scan, .reduce, .compactMap, .skipWhile, .distinct: node.numbers[1] > 0
        default: node.op.shape.closure != .none
        }
    }

    /// Whether the other log has nothing but more calls of closures above stages that can end early.
    private static func runsUnseenClosures(_ pair: LogPair) -> Bool {
        var below: [Int: Bool] = [:]
        func visit(_ node: Node, _ ends: Bool) {
            below[node.id] = ends || canEndEarly(node)
            for child in node.children { visit(child, ends || canEndEarly(node)) }
        }
        let referenced = pair.program.mains.flatMap(\.all).contains { $0.op == .ref }
        for node in pair.program.shared {
            visit(node, referenced && pair.program.mains.contains { $0.all.contains(where: canEndEarly) })
        }
        for node in pair.program.mains { visit(node, false) }
        // Disposals come later where more runs, and subscriptions have other numbers.
        func compared(_ entries: [String]) -> [(id: Substring, entry: String)] {
            entries.filter { !Comparison.isDisposal($0) }.map { entry in
                let id = entry.prefix { $0.isNumber }
                guard entry.contains("#") else { return (id, entry) }
                return (id, String(id) + entry.drop { $0 != "#" }.dropFirst().drop { $0.isNumber })
            }
        }
        let mine = compared(pair.mine)
        let isCut = pair.otherStatus == .budget
        let reactions = Set(pair.program.nodes.filter { $0.op == .react }.map(\.id))
        var index = 0
        var more = 0
        // What a closure that runs there does in its turn, until it returns.
        var reaction: (start: String, end: String, depth: Int)?
        for (id, entry) in compared(pair.other) {
            if let current = reaction {
                let depth = current.depth + (entry == current.start ? 1 : entry == current.end ? -1 : 0)
                reaction = depth > 0 ? (current.start, current.end, depth) : nil
                continue
            }
            if index < mine.count, mine[index].entry == entry {
                index += 1
                continue
            }
            guard entry.first != ">", let id = Int(id), below[id] == true else { return false }
            more += 1
            if reactions.contains(id) { reaction = (entry, entry.replacing("f", with: "F"), 1) }
        }
        return more > 0 && (index == mine.count || isCut)
    }
}
