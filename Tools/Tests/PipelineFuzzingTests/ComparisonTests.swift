// SPDX-License-Identifier: Apache-2.0

import PipelineFuzzing
import PipelineModel
import Testing

@Suite struct ComparisonTests {
    private let chain = "sync | | (probe (filter 0 0 (of 1 2))) | s0"

    private func verdict(_ mine: String, _ other: String, of text: String? = nil) throws -> String {
        let verdict = Comparison().judge(
            try Program(parsing: text ?? chain), Outcome(status: .ok, log: mine), Outcome(status: .ok, log: other))
        switch verdict {
        case .same: return "same"
        case .known(let words): return words
        case .finding: return "finding"
        }
    }

    @Test("The order among disposals is free") func disposalOrder() throws {
        #expect(try verdict(">0s 1c 2d 1d >0S", ">0s 1c 1d 2d >0S") == "same")
    }

    @Test(
        "A difference is a finding",
        arguments: [
            (">0s 1n1 2f2 >0S", ">0s 2f2 1n1 >0S"), (">0s 1d >0c", ">0s >0c 1d"), (">0s >0n1", ">0s"),
            (">0s", ">0s >0n1"),
            (">0s 1s 1S", ">0s"), (">0s 2f1", ">0s 2f1 2f2"),
        ])
    func difference(mine: String, other: String) throws {
        #expect(try verdict(mine, other) == "finding")
    }

    @Test("Closures that run above an ended stage are a known difference") func endedStage() throws {
        let text = "sync | | (take 1 (map 0 0 (create 1 2))) | s0"
        #expect(try verdict("2f1 >0n2 >0c", "2f1 >0n2 >0c 2f2", of: text).hasPrefix("Runs `map`"))
        #expect(try verdict("2f1 >0n2 >0c 2f2", "2f1 >0n2 >0c", of: text) == "finding")
        #expect(try verdict("2f1 >0c", "2f1 >0n2 >0c", of: text) == "finding")
    }

    /// The disposal comes earlier in this log, across entries of the operator's other sources and of stages below that have
    /// subscribed.
    @Test("A disposal after the end of an operator is a known difference") func disposedAfterEnd() throws {
        let text = "sync | | (probe (zip 0 (error 1) (probe (create)) (probe (never)))) | s0"
        func isKnown(_ mine: String, _ other: String) throws -> Bool {
            try verdict(mine, other, of: text).hasPrefix("An operator that ends while")
        }
        #expect(try isKnown(">0e1 5m 5d 4S 4d 6s 6S 6d 1S", ">0e1 5m 4S 6s 6S 1S 4d 5d 6d"))
        // The reverse order, and disposals across an event of a stage below, of the observer, and of a stage above.
        #expect(try !isKnown(">0e1 5m 4S 5d", ">0e1 5m 5d 4S"))
        #expect(try !isKnown(">0s 5d 4n1", ">0s 4n1 5d"))
        #expect(try !isKnown("5d >0e1", ">0e1 5d"))
        #expect(try !isKnown("4d 5m", "5m 4d"))
        // The logs dispose of different sources.
        #expect(try !isKnown("5d 4S", "4S 6d"))
    }

    @Test("A source that subscribe(on:) cancels at once is a known difference") func subscribeOn() throws {
        let text = "sync | | (take 1 (subscribeOn 0 (probe (create 1)))) | s0"
        #expect(try verdict("4m 4d >0c", "4m >0c 4d", of: text).hasPrefix("`subscribe(on:)`"))
        #expect(try verdict("4m >0c 4d", "4m 4d >0c", of: text) == "finding")
        #expect(try verdict("4m 1d >0c", "4m >0c 1d", of: text) == "finding")
    }

    @Test("More subscriptions to a shared source are a known difference") func sharedSource() throws {
        let text = "sync | (share 0 0 (probe (never))) | (zip 0 (error 1) (ref 0) (probe (ref 0))) | s0"
        let words = "Sources of an operator that share something"
        #expect(try verdict(">0e1 2s 2S 2d 2#2s 2#2S 2#2d", ">0e1 2s 2S 2d", of: text).hasPrefix(words))
        #expect(try verdict(">0e1 2s 2S", ">0e1 2s 2S 2#2s 2#2S", of: text).hasPrefix(words) == false)
        #expect(try verdict(">0e1 7s 7S", ">0e1", of: text) == "finding")
        #expect(try verdict("2s 2S >0e1 >0n1", "2s 2S >0e1", of: text) == "finding")
    }

    /// `refCount` connects its source though its only subscriber left while it subscribed, as in RxSwift.
    @Test("A source that refCount connects after the end is no finding") func refCount() throws {
        let connected = try Program(parsing: "sync | | (takeWhile 0 0 0 (multicast 1 0 (create))) | s0")
        let cold = try Program(parsing: "sync | | (takeWhile 0 0 0 (probe (create))) | s0")
        let outcome = Outcome(status: .ok, log: ">0s 1f9 >0c 3m 3d >0S 0X")
        guard case .same = Comparison().judge(connected, outcome, nil) else {
            Issue.record("the connected source is a finding")
            return
        }
        guard case .finding = Comparison().judge(cold, outcome, nil) else {
            Issue.record("a source subscribed behind the end passes")
            return
        }
    }

    @Test("The time of an entry counts") func time() throws {
        let text = "virtual | | (take 1 (map 0 0 (timer 1))) | s0"
        #expect(try verdict("@2 >0n2 >0c @500 0X", "@2 >0n2 >0c @3 2f3 @500 0X", of: text).hasPrefix("Runs `map`"))
        #expect(try verdict("@2 >0n2 @3 >0c", "@2 >0n2 >0c 2f3", of: text) == "finding")
    }

    /// A closure behind the end of a stage below it subscribes or disposes in the other log only.
    @Test("A reaction after the end is a known difference") func reaction() throws {
        let subscribing = "reentrant | (publishSubject) | (probe (take 1 (react 1 6 0 0 (ref 0)))) | s0"
        let subscribed = ">0c 4f1 >10s 2#2s >10S 4F1 2#2c >10c"
        #expect(try verdict(">0c", subscribed, of: subscribing).hasPrefix("Runs `map`"))
        #expect(try verdict(">0c", subscribed + " 2c", of: subscribing) == "finding")
        let disposing = "reentrant | (publishSubject) | (ref 0) (take 1 (react 1 5 0 0 (ref 0))) | s0 s1"
        #expect(try verdict(">1c >0n1", ">1c 4f1 >0x 4F1", of: disposing).hasPrefix("Runs `map`"))
        #expect(try verdict(">1c >2n1", ">1c 4f1 >0x 4F1", of: disposing) == "finding")
        #expect(try verdict(">0n1 >1c", ">1c 4f1 >0x 4F1", of: disposing) == "finding")
    }

    /// A shared definition has a state, which a closure behind the end has changed in the other log only.
    @Test("A closure that changes shared state after the end is a known difference") func sharedState() throws {
        let pipelines = "(switchLatest 0 (create 3 4) (ref 0)) (ref 0) | s0 s1"
        func verdict(_ shared: String) throws -> String {
            try self.verdict(
                "2m 1f3 >0e1 >1n0 >1c", "2m 1f3 >0e1 1f4 >1n5 >1c", of: "reentrant | \(shared) | \(pipelines)")
        }
        #expect(try verdict("(publish 1 0 (of))").hasPrefix("Runs `map`"))
        #expect(try verdict("(publishSubject)") == "finding")
    }

    @Test("A difference that the models explain is known by their notes") func models() throws {
        let program = try Program(parsing: "sync | | (scan 0 0 (groupBy 2 0 (of 1 2) (toArray (it)))) | s0")
        func verdict(_ log: String, _ notes: String) -> String {
            let mine = Outcome(status: .ok, log: "1f1 1f2")
            switch Comparison().judge(program, mine, withModels: Outcome(status: .ok, log: log, notes: notes)) {
            case .same: return "same"
            case .known(let words): return words
            case .finding: return "finding"
            }
        }
        #expect(verdict("1f1 1f2", "groups").hasPrefix("`groupBy` completes"))
        #expect(verdict("1f1 1f2", "") == "finding")
        #expect(verdict("1f2 1f1", "groups") == "finding")
    }

    /// Only the model of `groupBy` tells if the order of the groups is the reason.
    @Test("Another order of the groups is a finding") func groupOrder() throws {
        let text = "sync | | (scan 0 0 (groupBy 2 0 (of 1 2) (probe (it)))) | s0"
        #expect(try verdict("4n1 4n2", "4n2 4n1", of: text) == "finding")
    }

    @Test("A hang is a finding") func hang() throws {
        let program = try Program(parsing: chain)
        guard case .finding = Comparison().judge(program, Outcome(status: .hang), Outcome(status: .ok)) else {
            Issue.record("a hang passes")
            return
        }
    }
}
