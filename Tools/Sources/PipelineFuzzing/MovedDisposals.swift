// SPDX-License-Identifier: Apache-2.0

import PipelineModel

/// A disposal whose place differs.
struct MovedDisposal {
    /// The stage that was disposed of.
    var stage: Int
    var isEarlierHere: Bool
    /// The entries between its place here and its place there, without disposals.
    var across: ArraySlice<String>
    /// True if an observer had its terminal event before both places.
    var isBehindEnd: Bool
    /// True if an event of an observer, or the return of its subscription, lies between both places.
    var crossesObservers: Bool { across.contains { $0.first == ">" } }
}

/// Returns the disposals whose places differ in two logs that are the same apart from disposals. Returns nil if the logs do not have
/// the same disposals.
func movedDisposals(_ pair: LogPair) -> [MovedDisposal]? {
    /// Returns the places of each disposal: the number of other entries before it.
    func places(_ log: [String]) -> [String: [Int]] {
        var result: [String: [Int]] = [:]
        var count = 0
        for entry in log {
            if Comparison.isDisposal(entry) { result[entry, default: []].append(count) } else { count += 1 }
        }
        return result
    }
    let (here, there) = (places(pair.mine), places(pair.other))
    let rest = pair.mine.filter { !Comparison.isDisposal($0) }
    guard here.mapValues(\.count) == there.mapValues(\.count) else { return nil }
    return here.flatMap { entry, places in
        zip(places, there[entry]!).filter { $0 != $1 }.map { mine, other in
            MovedDisposal(
                stage: Int(entry.prefix { $0.isNumber }) ?? 0, isEarlierHere: mine < other,
                across: rest[min(mine, other)..<max(mine, other)],
                isBehindEnd: rest[..<min(mine, other)].contains { entry in
                    entry.first == ">" && (entry.last == "c" || entry.contains("e"))
                })
        }
    }
}

/// The order of a program's stages: which one stands above which.
struct Structure {
    private var nodes: [Int: Node] = [:]
    /// The stages right below each stage. A shared definition may have several.
    private var consumers: [Int: [Int]] = [:]

    init(_ program: Program) {
        for node in program.nodes {
            nodes[node.id] = node
            for child in node.children { consumers[child.id, default: []].append(node.id) }
            if node.op == .ref, program.shared.indices.contains(node.numbers[0]) {
                consumers[program.shared[node.numbers[0]].id, default: []].append(node.id)
            }
            if node.op == .groupBy, let source = node.children.first, let flattened = node.children.last {
                // The groups come from the source of the groups.
                for group in flattened.all where group.op == .it {
                    consumers[source.id, default: []].append(group.id)
                }
            }
        }
    }

    /// Returns all stages below one.
    func ancestors(_ id: Int) -> [Node] { chains(id).flatMap { $0 }.compactMap { nodes[$0] } }

    /// Tells whether a stage of such a kind stands below one.
    func hasBelow(_ id: Int, _ ops: Operator...) -> Bool { ancestors(id).contains { ops.contains($0.op) } }

    /// Returns the stages below one, down to the observer. A shared definition may have several chains.
    private func chains(_ id: Int) -> [Set<Int>] {
        guard let below = consumers[id] else { return [[]] }
        return below.flatMap { next in chains(next).map { $0.union([next]) } }
    }

    /// True if each of the entries comes from a stage below the given one and says that it has subscribed, or comes from another source
    /// of an operator below both.
    func areSubscribing(_ entries: ArraySlice<String>, besides id: Int) -> Bool {
        chains(id).contains { chain in entries.allSatisfy { isSubscribing($0, besides: id, above: chain) } }
    }

    private func isSubscribing(_ entry: String, besides id: Int, above chain: Set<Int>) -> Bool {
        let number = Int(entry.prefix { $0.isNumber })
        guard entry.first != ">", let other = number, nodes[other] != nil else { return false }
        if chain.contains(other) { return entry.utf8.last == UInt8(ascii: "S") }
        return chains(other).contains { !$0.contains(id) && !$0.isDisjoint(with: chain) }
    }
}
