// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs a row: calibrates, then times ours and the peer in turns, so that a machine that gets slower affects both alike.
final class Driver {
    /// Timed rounds per row: an even number, so that each side goes first equally often. The second side may find a processor awake.
    let rounds: Int
    /// The intended duration of a round of one side, in nanoseconds.
    private let roundNanoseconds: Double
    // Keyed by name: rows that differ only in the peer share the count.
    private var mallocs: [String: Double?] = [:]

    init(rounds: Int, roundNanoseconds: Double) {
        self.rounds = rounds
        self.roundNanoseconds = roundNanoseconds
    }

    func run(_ row: Row) -> Result {
        // The first call of each side is the warm-up, and determines the number of calls that make a round.
        let ours = Side(row, row.ours, row.expected, "ours")
        let peer = Side(row, row.peer, row.expectedOfPeer, row.peerName)
        let ourCalls = calls(ours)
        let peerCalls = calls(peer)

        let results = (0..<rounds).map { number in
            let oursFirst = number.isMultiple(of: 2)
            if oursFirst {
                let first = ours.time(ourCalls)
                return Round(ours: first, peer: peer.time(peerCalls), oursFirst: oursFirst)
            }
            let first = peer.time(peerCalls)
            return Round(ours: ours.time(ourCalls), peer: first, oursFirst: oursFirst)
        }
        return Result(row: row, rounds: results, mallocsPerEvent: mallocsPerEvent(row))
    }

    func run(_ row: LatencyRow) -> LatencyResult {
        var ours = Recording(row.ours, comparing: row.comparedPercentile)
        var peer = Recording(row.peer, comparing: row.comparedPercentile)
        var baseline = row.baseline.map { Recording($0, comparing: row.comparedPercentile) }
        let rounds = min(rounds, row.rounds ?? .max)
        if rounds > 1 {
            ours.runRound(counts: false)
            peer.runRound(counts: false)
        }
        for number in 0..<rounds {
            if number.isMultiple(of: 2) {
                ours.runRound()
                peer.runRound()
            } else {
                peer.runRound()
                ours.runRound()
            }
            baseline?.runRound()
        }
        return LatencyResult(row: row, ours: ours, peer: peer, baseline: baseline)
    }

    private func mallocsPerEvent(_ row: Row) -> Double? {
        if let known = mallocs[row.name] {
            return known
        }
        let counted = Mallocs.perEvent(row)
        mallocs[row.name] = .some(counted)
        return counted
    }

    private func calls(_ side: Side) -> Int {
        _ = side.time(1)
        let once = side.time(1) * Double(side.events)
        return max(1, Int((roundNanoseconds / once).rounded()))
    }
}

/// One workload that is timed.
private struct Side {
    let events: Int
    let workload: Row.Workload
    let expected: Int
    let label: String

    init(_ row: Row, _ workload: @escaping Row.Workload, _ expected: (Int) -> Int, _ side: String) {
        self.events = row.events
        self.workload = workload
        self.expected = expected(row.events)
        self.label = "\(row.name), \(side)"
    }

    /// Returns nanoseconds per event over so many calls. A wrong checksum ends the program: its time would mean nothing.
    func time(_ calls: Int) -> Double {
        let start = DispatchTime.now().uptimeNanoseconds
        for _ in 0..<calls {
            let sum = workload(events)
            if sum != expected {
                fail("\(label): the checksum of \(events) events is \(sum), not \(expected)")
            }
        }
        let end = DispatchTime.now().uptimeNanoseconds
        return Double(end - start) / Double(calls * events)
    }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}
