import PipelineModel

/// Two logs, side by side: which entries of one have no counterpart in the other.
///
/// The other log may have calls of closures above stages that can end early, and what such a closure does in its turn; this log may have
/// more subscriptions to what is shared. Disposals are left out, they come later where more runs, and so are the numbers of
/// subscriptions.
struct Alignment {
    private let mine: [(id: Int, text: String)]
    private let other: [(id: Int, text: String)]
    /// Stages above those that can end while their source goes on.
    private let unseen: Set<Int>
    private let shared: Set<Int>
    /// The observers in this log.
    private let observers: Set<Int>
    /// The calls at which a reaction acts.
    private let reactions: Set<String>
    /// Whether the other log was cut.
    private let isCut: Bool

    init(_ pair: LogPair) {
        func compared(_ log: [String]) -> [(id: Int, text: String)] {
            log.filter { !Comparison.isDisposal($0) }.map { entry in
                let id = entry.prefix { $0.isNumber }
                let rest = entry.dropFirst(id.count)
                return (Int(id) ?? 0, String(id) + (rest.first == "#" ? rest.dropFirst().drop { $0.isNumber } : rest))
            }
        }
        mine = compared(pair.mine)
        other = compared(pair.other)
        observers = Set(mine.filter { $0.text.first == ">" }.map { Self.observer($0.text) })
        isCut = pair.otherStatus == .budget
        let program = pair.program
        var unseen: Set<Int> = []
        func visit(_ node: Node, _ ends: Bool) {
            let ends = ends || Self.canEndEarly(node)
            if ends { unseen.insert(node.id) }
            for child in node.children { visit(child, ends) }
        }
        let referenced = program.mains.flatMap(\.all).contains { $0.op == .ref }
        for node in program.shared {
            visit(node, referenced && program.mains.contains { $0.all.contains(where: Self.canEndEarly) })
        }
        for node in program.mains { visit(node, false) }
        self.unseen = unseen
        shared = Set(program.shared.filter { $0.op.shape.use != .sharedOnly }.flatMap(\.all).map(\.id))
        reactions = Set(program.nodes.filter { $0.op == .react }.map { "\($0.id)f\($0.numbers[0])" })
    }

    /// Whether the logs are the same apart from such entries, of which there is at least one.
    ///
    /// - Parameter subscribesAnew: whether this log has to have more subscriptions to what is shared; else it must not.
    func exists(subscribesAnew: Bool) -> Bool {
        // All pairs of positions that can be reached, row by row, and whether with an entry that has no counterpart.
        var states: Set<State> = [State(mine: 0, other: 0, hasMore: false)]
        var rest = Array(states)
        while let state = rest.popLast() {
            if state.other == other.count, isCut || state.mine == mine.count, state.hasMore { return true }
            for next in following(state, subscribesAnew) where states.insert(next).inserted { rest.append(next) }
        }
        return false
    }

    private struct State: Hashable {
        var mine: Int
        var other: Int
        var hasMore: Bool
    }

    private func following(_ state: State, _ subscribesAnew: Bool) -> [State] {
        var result: [State] = []
        if state.mine < mine.count, state.other < other.count, mine[state.mine].text == other[state.other].text {
            result.append(State(mine: state.mine + 1, other: state.other + 1, hasMore: state.hasMore))
        }
        if state.other < other.count, isUnseen(other[state.other]) {
            result.append(
                State(mine: state.mine, other: end(of: state.other), hasMore: state.hasMore || !subscribesAnew))
        }
        if subscribesAnew, state.mine < mine.count, shared.contains(mine[state.mine].id) {
            result.append(State(mine: state.mine + 1, other: state.other, hasMore: true))
        }
        return result
    }

    /// Whether an entry may have no counterpart in this log: it comes from above a stage that has ended, or an observer sees it which a
    /// closure there has subscribed.
    private func isUnseen(_ entry: (id: Int, text: String)) -> Bool {
        guard entry.text.first == ">" else { return unseen.contains(entry.id) }
        let number = Self.observer(entry.text)
        return number >= 10 && !observers.contains(number)
    }

    /// The number of the observer that an entry comes from. From 10 on, a reaction has subscribed it.
    private static func observer(_ text: String) -> Int { Int(text.dropFirst().prefix { $0.isNumber }) ?? 0 }

    /// Where the entries end that a call of a closure leads to.
    private func end(of index: Int) -> Int {
        let start = other[index].text
        guard reactions.contains(start) else { return index + 1 }
        let end = start.replacing("f", with: "F")
        var depth = 0
        for index in index..<other.count {
            if other[index].text == start { depth += 1 } else if other[index].text == end { depth -= 1 }
            if depth == 0 { return index + 1 }
        }
        return other.count
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
}
