// SPDX-License-Identifier: Apache-2.0

import PipelineModel

/// Two logs, their entries normalized, and the program that wrote them.
package struct LogPair {
    let program: Program
    let mine: [String]
    let other: [String]
    let myStatus: Outcome.Status
    let otherStatus: Outcome.Status

    func contains(_ op: Operator...) -> Bool { program.nodes.contains { op.contains($0.op) } }

    /// True if the logs differ in the place of disposals only.
    var differOnlyInDisposals: Bool {
        myStatus == otherStatus
            && mine.filter { !Comparison.isDisposal($0) } == other.filter { !Comparison.isDisposal($0) }
    }
}

/// A line of KnownDifferences.md, and the condition under which it explains that two logs differ.
package struct KnownDifference: Sendable {
    /// The first words of the line.
    package let words: String
    let explains: @Sendable (LogPair) -> Bool

    /// The lines that the runner has models of, by the notes of these models, the line with the widest claim last.
    package static let modelled: [(note: String, words: String)] = [
        ("groups", "`groupBy` completes its groups in a dictionary's order"),
        ("departures", "An observer that leaves hands its place to the next subscriber"),
        ("nested", "An event emitted from inside a callback is delivered at once, nested"),
        ("lateSubscriber", "A subscriber that comes inside a PublishSubject's handler misses"),
        ("disposed", "An observer disposed of by an earlier one during the same emission"),
        ("retry", "`retry(when:)` re-enters itself when its source fails"),
        ("lateSubscribers", "A subscriber that is being subscribed to `publish().refCount()` when all others leave"),
        ("ended", "Sources of an operator that share something are subscribed to it once"),
        ("amb", "`amb` drops its winner when a loser ends"),
        ("trigger", "`skip(until:)` passes on an error that its trigger sends"),
    ]
    static let unseen = "Runs `map` and `do` for events after `take(1)` was satisfied"
    static let subscribedLater = "What an operator subscribes to when a timer fires or a subject emits"
    static let nesting = modelled.first { $0.note == "nested" }!.words
    /// The lines about differences in the place of disposals only.
    package static let aboutDisposals: [KnownDifference] = [
        KnownDifference(words: "`share()` and `share(replay:)` keep their source subscribed") { keepsSharedSource($0) },
        KnownDifference(words: "`subscribe(on:)` posts the unsubscription from its source") { pair in
            movedDisposals(pair)?.allSatisfy { moved in
                moved.isEarlierHere && Structure(pair.program).hasBelow(moved.stage, .subscribeOn)
            } ?? false
        },
        KnownDifference(words: subscribedLater) { pair in
            movedDisposals(pair)?.allSatisfy { moved in
                pair.program.emitsLater && moved.isEarlierHere && !moved.crossesObservers
                    && Structure(pair.program).ancestors(moved.stage).contains { $0.op.subscribesLater }
            } ?? false
        },
        KnownDifference(words: "An operator that ends while it subscribes to its sources") { pair in
            let structure = Structure(pair.program)
            return movedDisposals(pair)?.allSatisfy { moved in
                moved.isEarlierHere && structure.areSubscribing(moved.across, besides: moved.stage)
            } ?? false
        },
        KnownDifference(words: "The subscription below an operator has ended") { pair in
            movedDisposals(pair)?.allSatisfy { !$0.isEarlierHere && $0.isBehindEnd && !$0.crossesObservers } ?? false
        },
    ]

    package static let all: [KnownDifference] = [
        KnownDifference(words: "Hangs on `subject.flatMap { .repeatElement($0) }.take(2)`") {
            $0.otherStatus == .hang || $0.otherStatus == .budget && $0.myStatus == .ok
        },
        // It stops the process: its own subscription is made a second time.
        KnownDifference(words: "`retry(when:)` re-enters itself when its source fails") {
            $0.otherStatus == .crash && $0.contains(.retryWhen)
        },
        KnownDifference(words: unseen) {
            Alignment($0).exists([])
        },
        KnownDifference(words: "Sources of an operator that share something are subscribed to it once") {
            Alignment($0).exists(.shared)
        },
        KnownDifference(words: "`merge` subscribes to no source behind one that has failed") {
            Alignment($0).exists(.mergedLater) || Alignment($0).exists([.mergedLater, .shared])
        },
        KnownDifference(words: unseen) {
            $0.program.kind == .reentrant && Alignment($0).exists(.consequences)
        },
    ]

    /// True if the only difference is that disposals above a `share` come later in the other log.
    private static func keepsSharedSource(_ pair: LogPair) -> Bool {
        let structure = Structure(pair.program)
        let shared = pair.program.nodes.map(\.id).filter { structure.hasBelow($0, .share) }
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
}
