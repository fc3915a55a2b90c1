// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// Times real pipelines of RxSwift beside the same work done by peers.
@main
struct RxBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rxbench",
        abstract:
            "Times swift-rx beside OpenCombine, swift-nio, Dispatch, OperationQueue, AsyncStream and plain loops.",
        discussion: """
            Both sides of a row run in turns in this one process (ours, peer, peer, ours, ...), after a warm-up. \
            A ratio is peer's time / ours; the table shows its median, its least and its greatest value. \
            Allocations are counted in a pass of their own.
            """)

    @Flag(help: "Fewer and shorter rounds: a first impression, not a measurement.")
    var quick = false

    @Option(help: "Timed rounds per row (at least 1; default 8, with --quick 4).")
    var rounds: Int?

    @Option(help: "Only the rows whose area or name contains this text, whatever its case.")
    var filter: String?

    @Option(help: ArgumentHelp("Where the results go.", valueName: "file"))
    var json = "bench-results.json"

    @Option(
        help: ArgumentHelp(
            "The text for the end-to-end job, in UTF-8. Without it 10 MB are generated.", valueName: "file"))
    var text: String?

    @Flag(help: "List the rows and end.")
    var list = false

    @Flag(help: "End with a non-zero status when a bar is missed.")
    var strict = false

    func validate() throws {
        if let rounds, rounds < 1 {
            throw ValidationError("--rounds must be at least 1, not \(rounds).")
        }
    }

    func run() throws {
        let extent = quick ? Extent.quick : .full
        let rows = selected(Row.all(text: try TextSource(path: text), extent: extent))
        let latencies = selected(LatencyRow.all(extent: extent))
        let loads = selected(LoadRow.all(extent: extent))
        let figures = selected(Figure.all(extent: extent))
        let everything: [any Listed] = rows + latencies + loads + figures
        guard !everything.isEmpty else {
            throw ValidationError("No row contains '\(filter ?? "")'. Try --list.")
        }
        if list {
            for row in everything {
                print(row.listing)
            }
            return
        }
        if !Machine.isOptimized() {
            Progress.warn("warning: built without optimization, the figures mean nothing; use -c release")
        }
        Report.checkWritable(json)
        Mallocs.checkCanary()

        let start = DispatchTime.now().uptimeNanoseconds
        let driver = Driver(rounds: rounds ?? (quick ? 4 : 8), roundNanoseconds: quick ? 25e6 : 80e6)
        let results = run(rows, by: driver)
        let latencyResults = run(latencies, by: driver)
        let loadResults = run(loads, rounds: driver.rounds)
        let figureResults = run(figures)
        let judged: [any Judged] = results + latencyResults + loadResults + figureResults
        Summary.printBars(judged)

        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        Report(
            date: Date().formatted(.iso8601),
            command: CommandLine.arguments.joined(separator: " "),
            machine: .current(),
            toolchain: Machine.toolchain(),
            optimized: Machine.isOptimized(),
            roundsPerRow: driver.rounds,
            seconds: seconds,
            results: results,
            latencies: latencyResults,
            loads: loadResults,
            figures: figureResults
        ).write(to: json)
        print(
            "an uncontended atomic read-modify-write takes \(number(Machine.current().atomicNanoseconds, decimals: 1)) ns"
        )
        print("\(Int(seconds.rounded())) s; every round is in \(json)")
        if strict, judged.contains(where: \.missesBar) {
            throw ExitCode(2)
        }
    }

    private func run(_ rows: [Row], by driver: Driver) -> [Result] {
        if rows.isEmpty { return [] }
        let table = Table(rows)
        table.printHeader()
        var area: Area?
        return rows.enumerated().map { number, row in
            Progress.show("[\(number + 1)/\(rows.count)] \(row.name) vs \(row.peerName)")
            let result = driver.run(row)
            Progress.clear()
            if area != row.area {
                table.printArea(row.area)
                area = row.area
            }
            table.printRow(result)
            return result
        }
    }

    private func run(_ rows: [LatencyRow], by driver: Driver) -> [LatencyResult] {
        if rows.isEmpty { return [] }
        let table = LatencyTable(rows)
        table.printHeader()
        return rows.enumerated().map { number, row in
            Progress.show("[latency \(number + 1)/\(rows.count)] \(row.name) vs \(row.peer.name)")
            let result = driver.run(row)
            Progress.clear()
            table.printRow(result)
            return result
        }
    }

    private func run(_ rows: [LoadRow], rounds: Int) -> [LoadResult] {
        if rows.isEmpty { return [] }
        LoadTable.printHeader()
        return rows.enumerated().map { number, row in
            Progress.show("[load \(number + 1)/\(rows.count)] \(row.name)")
            let result = LoadDriver(row, rounds: rounds).run()
            Progress.clear()
            LoadTable.printRow(result)
            return result
        }
    }

    private func run(_ figures: [Figure]) -> [FigureResult] {
        if !figures.isEmpty { print("") }
        return figures.map { figure in
            let result = figure.measure()
            Summary.printFigure(result)
            return result
        }
    }

    private func selected<Line: Listed>(_ lines: [Line]) -> [Line] {
        guard let filter else { return lines }
        return lines.filter { $0.matches(filter) }
    }
}
