// SPDX-License-Identifier: Apache-2.0

/// The key by which lines are grouped.
// Unchecked: a Regex is not Sendable, but immutable, and matching changes nothing in it.
public enum LineKey: @unchecked Sendable {
    /// A part of a line in the common log format.
    case common(CommonField)
    /// The nth word, counted from 1.
    case word(Int)
    /// The match of the pattern's first group, or of the whole pattern if it has no group.
    case pattern(Regex<AnyRegexOutput>)

    public enum CommonField: String, CaseIterable, Sendable {
        case host, user, method, path, status
    }

    /// The key of a line; nil if the line has none.
    public func key(of line: String) -> String? {
        switch self {
        case .common(let field):
            guard let parsed = CommonLogLine(line) else { return nil }
            switch field {
            case .host: return String(parsed.host)
            case .user: return String(parsed.user)
            case .method: return String(parsed.method)
            case .path: return String(parsed.path)
            case .status: return String(parsed.status)
            }
        case .word(let number):
            let words = line.utf8.split(separator: UInt8(ascii: " "), maxSplits: number)
            return words.count >= number ? String(Substring(words[number - 1])) : nil
        case .pattern(let pattern):
            guard let match = line.firstMatch(of: pattern) else { return nil }
            return (match.output.count > 1 ? match.output[1].substring : match.output[0].substring).map(String.init)
        }
    }
}
