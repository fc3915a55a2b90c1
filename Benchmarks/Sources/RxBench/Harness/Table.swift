// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The readable table of times, printed row by row.
struct Table {
    private let nameWidth: Int
    private let peerWidth: Int

    init(_ rows: [Row]) {
        nameWidth = rows.map(\.name.count).max() ?? 0
        peerWidth = rows.map(\.peerName.count).max() ?? 0
    }

    func printHeader() {
        let header = line(
            "workload", "peer", "ours ns", "peer ns", "ratio", "min .. max", "bar", "mallocs", "")
        print(header)
        print(String(repeating: "-", count: header.count))
        flush()
    }

    func printArea(_ area: Area) {
        print("[\(area.rawValue)]")
    }

    func printRow(_ result: Result) {
        print(
            line(
                result.name, result.peerName,
                nanoseconds(result.oursNanoseconds), nanoseconds(result.peerNanoseconds),
                ratio(result.ratio),
                "\(ratio(result.ratioMinimum)) .. \(ratio(result.ratioMaximum))",
                result.bar.map { ratio($0) } ?? "",
                result.mallocsPerEvent.map { number($0, decimals: $0 < 0.1 && $0 > 0.0005 ? 3 : 1) } ?? "?",
                result.verdict.mark))
        flush()
    }

    private func line(
        _ name: String, _ peer: String, _ ours: String, _ theirs: String, _ ratio: String, _ range: String,
        _ bar: String, _ mallocs: String, _ mark: String
    ) -> String {
        [
            pad(name, nameWidth), pad(peer, peerWidth), pad(ours, -9), pad(theirs, -9), pad(ratio, -7),
            pad(range, -16), pad(bar, -5), pad(mallocs, -8), mark,
        ].joined(separator: " ")
    }
}

/// The readable table of latencies: three lines a row, ours, the peer's and the baseline's.
struct LatencyTable {
    private let nameWidth: Int
    private let sideWidth: Int

    init(_ rows: [LatencyRow]) {
        nameWidth = rows.map { $0.name.count + $0.unit.count + 6 }.max() ?? 0
        sideWidth = rows.flatMap { [$0.ours.name, $0.peer.name, $0.baseline?.name ?? ""] }.map(\.count).max() ?? 0
    }

    func printHeader() {
        let header = line("latency in ns", "", ["p50", "p99", "p99.9", "max"], "ratio", "min .. max", "bar", "")
        print("")
        print(header)
        print(String(repeating: "-", count: header.count))
        flush()
    }

    func printRow(_ result: LatencyResult) {
        let percentile = result.comparedPercentile.formatted(.number.locale(Locale(identifier: "en_US_POSIX")))
        print(
            line(
                "\(result.name), per \(result.unit)", result.ours.name, columns(result.ours),
                "p\(percentile): \(ratio(result.ratio))",
                "\(ratio(result.ratioMinimum)) .. \(ratio(result.ratioMaximum))",
                result.bar.map { ratio($0) } ?? "", result.verdict.mark))
        for other in [result.peer, result.baseline].compactMap({ $0 }) {
            print(line("", other.name, columns(other), "", "", "", ""))
        }
        flush()
    }

    private func columns(_ side: Distribution) -> [String] {
        [side.p50, side.p99, side.p999, side.maximum].map { String($0) }
    }

    private func line(
        _ name: String, _ side: String, _ columns: [String], _ ratio: String, _ range: String, _ bar: String,
        _ mark: String
    ) -> String {
        ([pad(name, nameWidth), pad(side, sideWidth)] + columns.map { pad($0, -11) }
            + [pad(ratio, -11), pad(range, -16), pad(bar, -5), mark]).joined(separator: " ")
    }
}

/// The lines below the tables.
enum Summary {
    static func printFigure(_ result: FigureResult) {
        let limit = result.limit.map { ", at most \(number($0, decimals: 0))" } ?? ""
        print(
            """
            \(result.name): \(number(result.ours, decimals: 1)) \(result.unit)\(limit) \(result.verdict.mark) \
            (\(result.peerName): \(number(result.peer, decimals: 1)))
            """)
        flush()
    }

    static func printBars(_ results: [any Judged]) {
        let judged = results.filter(\.isJudged)
        let missed = judged.filter(\.missesBar)
        print("")
        print(
            """
            ns per event (or per the unit a row's name says), medians; ratio = peer / ours, more is better; \
            mallocs per event of ours, steady state.
            \(judged.count - missed.count) of \(judged.count) bars hold\
            \(missed.isEmpty ? "." : "; missed: " + missed.map(\.name).joined(separator: ", "))
            """)
    }
}

extension Result.Verdict {
    /// The mark at the end of a line.
    var mark: String {
        switch self {
        case .pass: "ok"
        case .slow: "MISS"
        case .allocates: "MALLOC"
        case .slowAndAllocates: "MISS, MALLOC"
        case .informs: ""
        }
    }
}

/// Pads on the right, or on the left where the width is negative.
func pad(_ text: String, _ width: Int) -> String {
    let padding = String(repeating: " ", count: max(0, abs(width) - text.count))
    return width < 0 ? padding + text : text + padding
}

private func nanoseconds(_ value: Double) -> String {
    number(value, decimals: value < 100 ? 1 : 0)
}

private func ratio(_ value: Double) -> String {
    number(value, decimals: value < 10 ? 2 : 1)
}

func number(_ value: Double, decimals: Int) -> String {
    String(format: "%.\(decimals)f", value)
}

func flush() {
    fflush(stdout)
}
