// SPDX-License-Identifier: Apache-2.0

extension Character {
    /// The number of columns that a terminal gives to the character: 0, 1 or 2.
    public var columns: Int {
        guard let scalar = unicodeScalars.first else { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        let isWide = Self.wideRanges.contains { $0.contains(scalar.value) } || scalar.properties.isEmojiPresentation
        return isWide || unicodeScalars.contains("\u{FE0F}") ? 2 : 1
    }

    /// Scripts with characters of two columns, from East Asia.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
    ]
}

extension StringProtocol {
    /// The number of columns that a terminal gives to the text.
    public var columns: Int { reduce(0) { $0 + $1.columns } }

    /// The beginning of the text that fits into a number of columns.
    func prefix(columns limit: Int) -> SubSequence {
        var left = limit
        return prefix { character in
            left -= character.columns
            return left >= 0
        }
    }
}

extension String {
    /// The text without characters that control the terminal: a tab is a space, others are replaced by U+FFFD.
    var printable: String {
        guard unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return self }
        return String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    if scalar == "\t" { return " " }
                    return scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar
                }))
    }
}
