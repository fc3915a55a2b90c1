// SPDX-License-Identifier: Apache-2.0

/// A line of the table that a run can select and list, of any kind.
protocol Listed {
    var area: Area { get }
    var name: String { get }
    /// The text that `--list` prints for the line.
    var listing: String { get }
}

extension Listed {
    func matches(_ filter: String) -> Bool {
        "\(area.rawValue) \(name)".lowercased().contains(filter.lowercased())
    }
}

extension Row: Listed {
    var listing: String { "\(area.rawValue): \(name) (vs \(peerName))\(bar.map { ", bar \($0)x" } ?? "")" }
}

extension LatencyRow: Listed {
    var listing: String { "\(area.rawValue): \(name) (latency, vs \(peer.name))\(bar.map { ", bar \($0)x" } ?? "")" }
}

extension LoadRow: Listed {
    var listing: String {
        let rates = LoadRow.rates.map { "\($0)" }.joined(separator: ", ")
        return
            "\(area.rawValue): \(name) (latency at \(rates) times of capacity, vs \(peers.map(\.name).joined(separator: ", ")))"
    }
}

extension Figure: Listed {
    var listing: String { "\(area.rawValue): \(name) (\(unit))\(limit.map { ", at most \($0)" } ?? "")" }
}

/// A result that may have a bar.
protocol Judged {
    var name: String { get }
    var verdict: Result.Verdict { get }
}

extension Judged {
    var isJudged: Bool { verdict != .informs }
    var missesBar: Bool { isJudged && verdict != .pass }
}

extension Result: Judged {}
extension LatencyResult: Judged {}
extension FigureResult: Judged {}
