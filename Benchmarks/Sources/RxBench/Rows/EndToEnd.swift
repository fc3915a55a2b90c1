// SPDX-License-Identifier: Apache-2.0

import OpenCombine
import RxSwift

/// The main job: a text file's lines, their words, grouped, counted, the ten most frequent. The ten of every call are
/// compared with those that `sort | uniq -c` finds.
extension Row {
    static func endToEnd(_ text: TextSource) -> [Row] {
        [
            wordCount(
                text, vs: "plain loop, same splitting", bar: 0.5,
                peer: {
                    var counts: [Substring: Int] = [:]
                    for line in text.readLines() {
                        for word in words(of: line) {
                            counts[word, default: 0] += 1
                        }
                    }
                    text.check(topTen(counts.lazy.map { ($0.key, $0.value) }), "plain loop")
                }),
            wordCount(
                text, vs: "OpenCombine, without groupBy",
                peer: {
                    var counts: [Substring: Int] = [:]
                    let subscription = text.readLines().publisher
                        .flatMap { words(of: $0).publisher }
                        .sink { counts[$0, default: 0] += 1 }
                    subscription.cancel()
                    text.check(topTen(counts.lazy.map { ($0.key, $0.value) }), "OpenCombine")
                }),
        ]
    }

    private static func wordCount(
        _ text: TextSource, vs peerName: String, bar: Double? = nil, peer: @escaping () -> Void
    ) -> Row {
        // A pass over the file counts as `text.wordCount` events.
        func passes(_ pass: @escaping () -> Void) -> Workload {
            { events in
                for _ in 0..<(events / text.wordCount) {
                    pass()
                }
                return events
            }
        }
        return Row(
            .endToEnd, "text.wordCount.top10", vs: peerName, bar: bar, mallocLimit: nil, unit: "word",
            events: text.wordCount,
            expected: { $0 },
            ours: passes { text.check(topTen(countedByGroups(text)), "ours") },
            peer: passes(peer))
    }

    private static func countedByGroups(_ text: TextSource) -> [(Substring, Int)] {
        var counts: [(Substring, Int)] = []
        Observable.from(text.readLines())
            .flatMap { Observable.from(words(of: $0)) }
            .groupBy { $0 }
            .flatMap { group in
                group.reduce(0) { count, _ in count + 1 }.map { (group.key, $0) }
            }
            .toArray()
            .subscribe(onSuccess: { counts = $0 })
            .dispose()
        return counts
    }
}
