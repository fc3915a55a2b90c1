// SPDX-License-Identifier: Apache-2.0

/// A line of text that keys edit, and a cursor in it.
public struct LineEditor: Equatable, Sendable {
    public private(set) var text: String
    /// The number of characters before the cursor.
    public private(set) var cursor: Int
    /// The most characters. Keys that would add more change nothing.
    public let limit: Int

    public init(_ text: String = "", limit: Int = 64) {
        self.text = String(text.prefix(limit))
        self.limit = limit
        cursor = self.text.count
    }

    /// Edits the line.
    ///
    /// - Returns: false if the key is none that edits.
    @discardableResult
    public mutating func handle(_ key: Key) -> Bool {
        switch key {
        case .character(let character): insert(character)
        case .backspace: remove(cursor - 1..<cursor)
        case .delete, .control("d"): remove(cursor..<cursor + 1)
        case .left, .control("b"): cursor = max(0, cursor - 1)
        case .right, .control("f"): cursor = min(text.count, cursor + 1)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = text.count
        case .control("u"): remove(0..<cursor)
        case .control("k"): remove(cursor..<text.count)
        case .control("w"): remove(wordStart..<cursor)
        default: return false
        }
        return true
    }

    /// The part of the line that fits into a width and contains the cursor.
    ///
    /// - Parameters:
    ///   - width: columns, at least 1; the last one is for a cursor behind the text.
    ///   - mask: stands for each character, if it is not nil.
    /// - Returns: the part, and the number of columns before the cursor.
    public func visiblePart(width: Int, mask: Character? = nil) -> (text: String, cursor: Int) {
        let characters = text.map { mask ?? $0 }
        var start = cursor
        var before = 0
        while start > 0, before + characters[start - 1].columns < width {
            start -= 1
            before += characters[start].columns
        }
        var end = cursor
        var columns = before
        while end < characters.count, columns + characters[end].columns <= width {
            columns += characters[end].columns
            end += 1
        }
        return (String(characters[start..<end]), before)
    }

    private mutating func insert(_ character: Character) {
        // Bytes are limited, too: a character may be followed by any number of combining ones.
        guard text.utf8.count + character.utf8.count <= 4 * limit else { return }
        let index = text.index(text.startIndex, offsetBy: cursor)
        let before = String(text[..<index]) + String(character)
        let edited = before + text[index...]
        guard edited.count <= limit else { return }
        text = edited
        cursor = min(before.count, edited.count)
    }

    private mutating func remove(_ range: Range<Int>) {
        let range = range.clamped(to: 0..<text.count)
        let start = text.index(text.startIndex, offsetBy: range.lowerBound)
        text.removeSubrange(start..<text.index(start, offsetBy: range.count))
        cursor = min(range.lowerBound < cursor ? range.lowerBound : cursor, text.count)
    }

    /// The position behind the last space before the word at the cursor.
    private var wordStart: Int {
        var start = cursor
        let characters = Array(text)
        while start > 0, characters[start - 1] == " " { start -= 1 }
        while start > 0, characters[start - 1] != " " { start -= 1 }
        return start
    }
}
