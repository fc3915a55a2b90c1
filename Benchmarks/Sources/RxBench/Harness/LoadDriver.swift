// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift

/// Runs a row about rates: measures each side's capacity, then offers multiples of it, the sides in turns.
struct LoadDriver {
    private let row: LoadRow
    private let rounds: Int
    private let spins: Bool

    /// The most events of a run: the buffer of their latencies takes 8 bytes each.
    private static let maxEvents = 8_000_000

    init(_ row: LoadRow, rounds: Int) {
        self.row = row
        self.rounds = min(rounds, row.rounds)
        spins = row.producers + row.consumers <= ProcessInfo.processInfo.activeProcessorCount
    }

    func run() -> LoadResult {
        let sides = [row.ours] + row.peers
        let capacities = sides.map(capacity)
        var levels = sides.indices.map { index in LoadRow.rates.map { Level($0, of: capacities[index]) } }
        var alone = LoadRow.rates.map { Level($0, of: capacities[0]) }
        for _ in 0..<rounds {
            for place in LoadRow.rates.indices {
                for (index, side) in sides.enumerated() { runRound(side, &levels[index][place]) }
                runRound(nil, &alone[place])
            }
        }
        var results = zip(sides, zip(capacities, levels)).map { side, measured in
            LoadSideResult(
                name: side.name, capacity: measured.0, levels: measured.1.map { $0.result(name: side.name) })
        }
        let name = "the producers alone"
        results.append(
            LoadSideResult(name: name, capacity: capacities[0], levels: alone.map { $0.result(name: name) }))
        return LoadResult(row: row, sides: results)
    }

    /// Returns events per second when all are due at once.
    private func capacity(_ side: LoadRow.Side) -> Double {
        var events = 20_000
        while true {
            let measured = (0..<3).map { _ in
                measure(events: events, interval: 0) { run, _ in
                    let outcome = run.run(side)
                    return Double(max(1, max(outcome.delivered, outcome.sent)))
                }
            }
            let time = median(measured)
            if time > Double(row.span) / 2 || events == LoadDriver.maxEvents {
                return Double(events) / time * 1e9
            }
            events = min(LoadDriver.maxEvents, Int(Double(events) * max(2, min(20, Double(row.span) / time))))
        }
    }

    private func runRound(_ side: LoadRow.Side?, _ level: inout Level) {
        let events = min(LoadDriver.maxEvents, Int(level.offered * Double(row.span) / 1e9))
        let reports = BacklogReports()
        measure(events: events, interval: 1e9 / level.offered) { run, latencies in
            let outcome = side.map { run.run($0) } ?? run.runGeneratorAlone()
            level.record(outcome, latencies, reports: reports.count)
        }
        reports.end()
    }

    private func measure<Value>(
        events: Int, interval: Double, _ body: (LoadRun, UnsafeMutableBufferPointer<UInt64>) -> Value
    ) -> Value {
        let plan = LoadRun.Plan(producers: row.producers, spins: spins, events: events, interval: interval)
        let latencies = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: plan.events)
        // Touches all pages before the run.
        latencies.initialize(repeating: 1)
        defer { latencies.deallocate() }
        return body(LoadRun(plan, into: latencies), latencies)
    }
}

/// Collects one rate of one side over the rounds.
private struct Level {
    let factor: Double
    let offered: Double
    private var histogram = LatencyHistogram()
    private var medians: [Double] = []
    private var sent: [Double] = []
    private var longestQueue = 0
    private var megabytes = 0.0
    private var overrun = 0.0
    private var reports = 0

    init(_ factor: Double, of capacity: Double) {
        self.factor = factor
        offered = capacity * factor
    }

    mutating func record(
        _ outcome: LoadRun.Outcome, _ latencies: UnsafeMutableBufferPointer<UInt64>, reports: Int
    ) {
        var round = LatencyHistogram()
        for latency in latencies {
            round.record(latency)
            histogram.record(latency)
        }
        medians.append(round.nanoseconds(at: 50))
        sent.append(Double(latencies.count) / Double(max(1, outcome.sent)) * 1e9)
        longestQueue = max(longestQueue, outcome.longestQueue)
        megabytes = max(megabytes, Double(outcome.bytes) / 1e6)
        let schedule = Double(latencies.count) / offered
        overrun = max(overrun, Double(outcome.delivered) / 1e9 - schedule)
        self.reports += reports
    }

    func result(name: String) -> LoadSideResult.Level {
        LoadSideResult.Level(
            factor: factor, offered: offered, sent: median(sent),
            latency: histogram.distribution(name: name, rounds: medians),
            longestQueue: longestQueue, megabytes: megabytes, overrun: max(0, overrun), backlogReports: reports)
    }
}
