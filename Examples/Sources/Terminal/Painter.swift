// SPDX-License-Identifier: Apache-2.0

/// Turns frames into bytes for a terminal that shows the frame before.
package struct Painter: Sendable {
    /// Whether colors are used. Styles that are none are used anyway.
    let hasColors: Bool
    private var shown: (frame: Frame, size: WindowSize)?
    /// The bytes that make the terminal show the last frame.
    package private(set) var output = ""

    package init(hasColors: Bool) { self.hasColors = hasColors }

    /// Replaces the screen, keeps what it showed, and turns off what would move the cursor by itself.
    static let enter = "\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?7l\u{1B}[?25l"
    static let leave = "\u{1B}[m\u{1B}[?25h\u{1B}[?7h\u{1B}[?2004l\u{1B}[?1049l"

    /// Draws the lines that differ, or all of them in a window that has another size than before.
    package mutating func paint(_ frame: Frame, size: WindowSize) {
        let frame = frame.fitted(to: size)
        let former = shown.flatMap { $0.size == size ? $0.frame : nil }
        if former == frame {
            output = ""
            return
        }
        output = "\u{1B}[?25l"
        if former == nil { output += "\u{1B}[m\u{1B}[2J" }
        let lines = frame.lines
        let formerLines = former?.lines ?? []
        for row in 0..<max(lines.count, formerLines.count) {
            let line = row < lines.count ? lines[row] : Line()
            if line == (row < formerLines.count ? formerLines[row] : Line()) { continue }
            // Erases first: behind a line of full width that would erase its last character.
            output += "\u{1B}[\(row + 1);1H\u{1B}[K" + text(line)
        }
        if let cursor = frame.cursor { output += "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h" }
        shown = (frame, size)
    }

    private func text(_ line: Line) -> String {
        line.spans.map { span in
            guard let code = span.style.code(withColors: hasColors) else { return span.text }
            return "\u{1B}[\(code)m\(span.text)\u{1B}[m"
        }.joined()
    }
}
