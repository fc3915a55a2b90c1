// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The complete record of a run: the command, the machine and the toolchain, every round of every row, every histogram.
struct Report: Codable {
    let date: String
    let command: String
    let machine: Machine
    let toolchain: String
    let optimized: Bool
    let roundsPerRow: Int
    let seconds: Double
    let results: [Result]
    let latencies: [LatencyResult]
    let loads: [LoadResult]
    let figures: [FigureResult]

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

/// Reports progress on stderr, apart from the table on stdout.
enum Progress {
    private static let isTerminal = isatty(STDERR_FILENO) == 1

    /// Shows a line; on a terminal the next line of the table takes its place.
    static func show(_ text: String) {
        write(isTerminal ? "\r\u{1B}[K\(text)" : "\(text)\n")
    }

    static func clear() {
        if isTerminal {
            write("\r\u{1B}[K")
        }
    }

    /// Shows a line that stays.
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
