// SPDX-License-Identifier: Apache-2.0

/// Lines that can be searched for a text, in upper or lower case.
public struct LineIndex: Sendable {
    private let lines: [String]
    /// The lines in lower case: comparing bytes is faster than comparing characters.
    private let keys: [[UInt8]]

    public init(_ lines: [String]) {
        self.lines = lines
        keys = lines.map { Array($0.lowercased().utf8) }
    }

    public var count: Int { lines.count }

    /// Returns the lines with a text in them: those that begin with it first, then those with a word that does, then the others.
    ///
    /// - Parameter limit: the most lines in the results.
    public func find(_ query: String, limit: Int) -> SearchResults {
        let pattern = Array(query.lowercased().utf8)
        if pattern.isEmpty { return SearchResults(query: query) }
        var ranked: [[Int]] = [[], [], []]
        var total = 0
        for (number, key) in keys.enumerated() {
            guard let rank = Self.rank(of: pattern, in: key) else { continue }
            total += 1
            if ranked[rank].count < limit { ranked[rank].append(number) }
        }
        return SearchResults(query: query, lines: ranked.joined().prefix(limit).map { lines[$0] }, total: total)
    }

    /// Returns 0 for a pattern at the beginning of the line, 1 for one at that of a word, 2 for one elsewhere, else nil.
    private static func rank(of pattern: [UInt8], in line: [UInt8]) -> Int? {
        guard line.count >= pattern.count else { return nil }
        var best: Int?
        for start in 0...line.count - pattern.count where line[start] == pattern[0] {
            guard line[start..<start + pattern.count].elementsEqual(pattern) else { continue }
            if start == 0 { return 0 }
            if !isWordCharacter(line[start - 1]) { return 1 }
            best = 2
        }
        return best
    }

    private static func isWordCharacter(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
