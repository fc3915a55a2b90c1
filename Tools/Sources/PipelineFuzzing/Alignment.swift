// SPDX-License-Identifier: Apache-2.0

import PipelineModel

/// Compares two logs side by side, to find the entries of one that have no counterpart in the other.
///
/// The other log may have calls of closures above stages that can end early, and the actions of such closures. This log may have more
/// subscriptions to shared definitions. Disposals are left out, as they come later where more runs; so are the numbers of
/// subscriptions.
struct Alignment {
    private struct Entry {
        let id: Int
        /// The number of the subscription to the stage.
        let instance: Int
        let text: String
        /// The virtual time: `@` and a number. Empty before the first.
        let time: String

        var withoutNumber: Substring { text[...(text.lastIndex { !$0.isNumber } ?? text.startIndex)] }
    }

    private let mine: [Entry]
    private let other: [Entry]
    /// The stages above those that can end while their source continues.
    private let unseen: Set<Int>
    private let shared: Set<Int>
    /// The stages right below a shared definition, or further down.
    private let belowShared: Set<Int>
    /// The shared definitions with a state that a subscription changes, and the stages below them. Subjects are not among them.
    private let stateful: Set<Int>
    /// The sources of each `merge` but its first, and the shared definitions if those sources use them.
    private let mergedLater: Set<Int>
    /// The observers in this log.
    private let observers: Set<Int>
    /// The stages that can react.
    private let counting: Set<Int>
    /// The calls at which a reaction acts.
    private let reactions: [String: Reaction]
    /// The subscriptions to stages that a closure without a counterpart makes in the other log: the stage, and their number.
    private var subscribedUnseen: [Int: Set<Int>] = [:]
    /// True if the other log was cut.
    private let isCut: Bool

    init(_ pair: LogPair) {
        func compared(_ log: [String]) -> [Entry] {
            var time = ""
            return log.compactMap { entry in
                if entry.first == "@" { time = entry }
                if entry.first == "@" || Comparison.isDisposal(entry) { return nil }
                let id = entry.prefix { $0.isNumber }
                var rest = entry.dropFirst(id.count)
                var instance = 1
                if rest.first == "#" {
                    let number = rest.dropFirst().prefix { $0.isNumber }
                    instance = Int(number) ?? 1
                    rest = rest.dropFirst(1 + number.count)
                }
                return Entry(id: Int(id) ?? 0, instance: instance, text: String(id) + rest, time: time)
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
        let pipelines = program.shared.filter { $0.op.shape.use != .sharedOnly }.flatMap(\.all)
        shared = Set(pipelines.map(\.id))
        belowShared = Set(program.nodes.filter { node in node.all.contains { $0.op == .ref } }.map(\.id))
        let isStateful = program.shared.map { $0.op.shape.use != .sharedOnly }
        stateful = shared.union(
            program.nodes.filter { node in
                node.all.contains {
                    $0.op == .ref && isStateful.indices.contains($0.numbers[0]) && isStateful[$0.numbers[0]]
                }
            }.map(\.id))
        let later = program.nodes.filter { $0.op == .merge }.flatMap { $0.children.dropFirst() }.flatMap(\.all)
        mergedLater = Set((later + (later.contains { $0.op == .ref } ? pipelines : [])).map(\.id))
        let reacting = program.nodes.filter { $0.op == .react }
        counting = Set(reacting.map(\.id))
        reactions = Dictionary(
            reacting.map {
                ("\($0.id)f\($0.numbers[0])", Reaction($0, program))
            }, uniquingKeysWith: { first, _ in first })
        findSubscribedUnseen()
    }

    private mutating func findSubscribedUnseen() {
        var index = 0
        while index < other.count {
            guard reactions[other[index].text] != nil, unseen.contains(other[index].id) else {
                index += 1
                continue
            }
            let end = end(of: index)
            for entry in other[index..<end] where entry.text == "\(entry.id)s" {
                let count = { (log: [Entry]) in log.reduce(0) { $0 + ($1.text == entry.text ? 1 : 0) } }
                if count(other) > count(mine) { subscribedUnseen[entry.id, default: []].insert(entry.instance) }
            }
            index = end
        }
    }

    /// The effect of a reaction on a main pipeline.
    private struct Reaction {
        /// The stages that it disposes of.
        var disposed: Set<Int> = []
        /// The stages that it subscribes to and that do not log their subscription.
        var subscribed: Set<Int> = []

        init(_ node: Node, _ program: Program) {
            guard program.mains.indices.contains(node.numbers[2]) else { return }
            let stages = program.mains[node.numbers[2]].all
            switch node.numbers[1] {
            case 5: disposed = Set(stages.map(\.id))
            case 6: subscribed = Set(stages.filter { $0.op != .probe }.map(\.id))
            default: break
            }
        }
    }

    /// The entries that this log may have beyond the other one.
    struct Extra: OptionSet {
        let rawValue: Int

        /// Subscriptions to shared definitions.
        static let shared = Extra(rawValue: 1)
        /// Subscriptions to sources of a `merge` behind one that has failed.
        static let mergedLater = Extra(rawValue: 2)
        /// Entries in both logs of shared definitions and of stages below them, once a closure without a counterpart has touched them.
        static let consequences = Extra(rawValue: 4)
    }

    /// True if the logs are the same apart from such entries, of which there is at least one.
    func exists(_ extra: Extra) -> Bool {
        var extraStages: Set<Int> = []
        if extra.contains(.shared) { extraStages.formUnion(shared) }
        if extra.contains(.mergedLater) { extraStages.formUnion(mergedLater) }
        let hasConsequences = extra.contains(.consequences)
        // All reachable pairs of positions, row by row, each with a flag for an entry that has no counterpart.
        var states: Set<State> = [State(mine: 0, other: 0, hasMore: false)]
        var rest = Array(states)
        while let state = rest.popLast() {
            if state.other == other.count, isCut || state.mine == mine.count, state.hasMore { return true }
            var following = following(state, extraStages)
            if hasConsequences, state.isTouched { following += skipping(state) }
            for next in following where states.insert(next).inserted { rest.append(next) }
        }
        return false
    }

    private struct State: Hashable {
        var mine: Int
        var other: Int
        var hasMore: Bool
        /// The entries of the other log at which a reaction without a counterpart has disposed of a pipeline first, and subscribed to
        /// one last, or -1.
        var disposal = -1
        var subscription = -1
        /// True if an entry without a counterpart comes from a stateful shared definition, or from below it.
        var isTouched = false
    }

    private func isSame(_ left: Entry, _ right: Entry) -> Bool {
        guard left.time == right.time else { return false }
        // The stage counts its events, also those that are unseen.
        let isCount = counting.contains(left.id) && unseen.contains(left.id)
        return left.text == right.text || isCount && left.withoutNumber == right.withoutNumber
    }

    /// Skips an entry of a shared definition, or of a stage below it.
    private func skipping(_ state: State) -> [State] {
        func isFree(_ entry: Entry) -> Bool {
            entry.text.first == ">" || stateful.contains(entry.id)
        }
        var result: [State] = []
        if state.mine < mine.count, isFree(mine[state.mine]) {
            var next = state
            next.mine += 1
            result.append(next)
        }
        if state.other < other.count, isFree(other[state.other]) {
            var next = state
            next.other += 1
            result.append(next)
        }
        return result
    }

    private func following(_ state: State, _ extra: Set<Int>) -> [State] {
        var result: [State] = []
        if state.mine < mine.count, state.other < other.count, isSame(mine[state.mine], other[state.other]) {
            var next = state
            next.mine += 1
            next.other += 1
            result.append(next)
        }
        if state.other < other.count, isUnseen(other[state.other]) || isOfSubscribed(other[state.other], state) {
            var next = state
            next.other = end(of: state.other)
            next.hasMore = state.hasMore || extra.isEmpty
            next.isTouched = state.isTouched || stateful.contains(other[state.other].id)
            if let reaction = reactions[other[state.other].text] {
                if !reaction.disposed.isEmpty, state.disposal < 0 { next.disposal = state.other }
                if !reaction.subscribed.isEmpty { next.subscription = state.other }
            }
            result.append(next)
        }
        if state.mine < mine.count, isExtra(mine[state.mine], extra) {
            var next = state
            next.mine += 1
            next.hasMore = true
            result.append(next)
        } else if state.mine < mine.count, state.disposal >= 0,
            isOfDisposed(mine[state.mine], in: state.disposal..<state.other)
        {
            var next = state
            next.mine += 1
            result.append(next)
        }
        return result
    }

    /// True if the entry may be extra in this log: it comes from one of the stages, or is an element from below a shared definition.
    private func isExtra(_ entry: Entry, _ stages: Set<Int>) -> Bool {
        if stages.contains(entry.id) { return true }
        return !stages.isDisjoint(with: shared) && belowShared.contains(entry.id)
            && entry.text.lowercased().contains("n")
    }

    /// True if an entry of the other log comes from a stage that a reaction has subscribed to in that log only.
    private func isOfSubscribed(_ entry: Entry, _ state: State) -> Bool {
        state.subscription >= 0 && reactions[other[state.subscription].text]!.subscribed.contains(entry.id)
    }

    /// True if an entry of this log comes from a stage that reactions in a part of the other log have disposed of, in that log only.
    private func isOfDisposed(_ entry: Entry, in part: Range<Int>) -> Bool {
        part.contains { index in
            guard let reaction = reactions[other[index].text] else { return false }
            guard entry.text.first == ">" else { return reaction.disposed.contains(entry.id) }
            return other[index..<end(of: index)].contains { $0.text == ">\(Self.observer(entry.text))x" }
        }
    }

    /// True if an entry may have no counterpart in this log: it comes from above a stage that has ended, or is seen by an observer that
    /// a closure there has subscribed.
    private func isUnseen(_ entry: Entry) -> Bool {
        guard entry.text.first == ">" else {
            return unseen.contains(entry.id) || subscribedUnseen[entry.id]?.contains(entry.instance) == true
        }
        let number = Self.observer(entry.text)
        return number >= 10 && !observers.contains(number)
    }

    /// Returns the number of the observer that an entry comes from. From 10 on, a reaction has subscribed it.
    private static func observer(_ text: String) -> Int { Int(text.dropFirst().prefix { $0.isNumber }) ?? 0 }

    /// Returns the end of the entries that follow from a call of a closure.
    private func end(of index: Int) -> Int {
        let start = other[index].text
        guard reactions[start] != nil else { return index + 1 }
        let end = start.replacing("f", with: "F")
        var depth = 0
        for index in index..<other.count {
            if other[index].text == start { depth += 1 } else if other[index].text == end { depth -= 1 }
            if depth == 0 { return index + 1 }
        }
        return other.count
    }

    /// Tells whether an operator can end while its source continues.
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
