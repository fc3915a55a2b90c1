import Foundation

/// Everything a run leaves behind: what ran where, and every round of every row.
struct Report: Codable {
    let date: String
    let command: String
    let machine: Machine
    let toolchain: String
    let optimized: Bool
    let roundsPerRow: Int
    let seconds: Double
    let results: [Result]

    /// Fails before the first measurement rather than after the last one if the file cannot be written.
    static func checkWritable(_ path: String) {
        let manager = FileManager.default
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var isFolder: ObjCBool = false
        let exists = manager.fileExists(atPath: path, isDirectory: &isFolder)
        if exists
            ? isFolder.boolValue || !manager.isWritableFile(atPath: path) : !manager.isWritableFile(atPath: folder)
        {
            fail("cannot write the results to \(path)")
        }
    }

    func write(to path: String) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try encoder.encode(self).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            fail("cannot write \(path): \(error.localizedDescription)")
        }
    }
}

/// The readable table, printed row by row.
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
        let mark: String
        switch result.verdict {
        case .pass: mark = "ok"
        case .slow: mark = "MISS"
        case .allocates: mark = "MALLOC"
        case .slowAndAllocates: mark = "MISS, MALLOC"
        case .informs: mark = ""
        }
        print(
            line(
                result.name, result.peerName,
                nanoseconds(result.oursNanoseconds), nanoseconds(result.peerNanoseconds),
                ratio(result.ratio),
                "\(ratio(result.ratioMinimum)) .. \(ratio(result.ratioMaximum))",
                result.bar.map { ratio($0) } ?? "",
                result.mallocsPerEvent.map { number($0, decimals: $0 < 0.1 && $0 > 0.0005 ? 3 : 1) } ?? "?",
                mark))
        flush()
    }

    func printSummary(_ results: [Result]) {
        let judged = results.filter { $0.bar != nil }
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

    private func line(
        _ name: String, _ peer: String, _ ours: String, _ theirs: String, _ ratio: String, _ range: String,
        _ bar: String, _ mallocs: String, _ mark: String
    ) -> String {
        [
            pad(name, nameWidth), pad(peer, peerWidth), pad(ours, -9), pad(theirs, -9), pad(ratio, -7),
            pad(range, -16), pad(bar, -5), pad(mallocs, -8), mark,
        ].joined(separator: " ")
    }

    /// Pads on the right, or on the left where the width is negative.
    private func pad(_ text: String, _ width: Int) -> String {
        let padding = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width < 0 ? padding + text : text + padding
    }

    private func nanoseconds(_ value: Double) -> String {
        number(value, decimals: value < 100 ? 1 : 0)
    }

    private func ratio(_ value: Double) -> String {
        number(value, decimals: value < 10 ? 2 : 1)
    }

    private func number(_ value: Double, decimals: Int) -> String {
        String(format: "%.\(decimals)f", value)
    }

    private func flush() {
        fflush(stdout)
    }
}

/// Says on stderr what is under way, apart from the table on stdout.
enum Progress {
    private static let isTerminal = isatty(STDERR_FILENO) == 1

    /// A line of its own; on a terminal the next line of the table takes its place.
    static func show(_ text: String) {
        write(isTerminal ? "\r\u{1B}[K\(text)" : "\(text)\n")
    }

    static func clear() {
        if isTerminal {
            write("\r\u{1B}[K")
        }
    }

    /// A line that stays.
    static func warn(_ text: String) {
        clear()
        write("\(text)\n")
    }

    private static func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}

/// Ends the program with a message: a run that measured something wrong has no result.
func fail(_ message: String) -> Never {
    fflush(stdout)
    Progress.warn("rxbench: \(message)")
    exit(1)
}
