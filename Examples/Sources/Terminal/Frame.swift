// SPDX-License-Identifier: Apache-2.0

/// The contents of a terminal: lines, and a cursor.
public struct Frame: Equatable, Sendable {
    public struct Position: Equatable, Sendable {
        public var row: Int
        public var column: Int

        public init(row: Int, column: Int) {
            self.row = row
            self.column = column
        }
    }

    public var lines: [Line]
    /// Counted from 0. Nil hides the cursor.
    public var cursor: Position?

    public init(_ lines: [Line], cursor: Position? = nil) {
        self.lines = lines
        self.cursor = cursor
    }

    /// The lines without their styles, for tests and documents.
    public var text: [String] { lines.map(\.text) }

    /// The part of the frame that a window shows: the first rows, or those down to the cursor, and the first columns.
    public func fitted(to size: WindowSize) -> Frame {
        let hidden = max(0, (cursor?.row ?? 0) - size.rows + 1)
        let visible = lines.dropFirst(hidden).prefix(size.rows).map { $0.prefix(columns: size.columns) }
        let place = cursor.map {
            Position(row: $0.row - hidden, column: min($0.column, size.columns - 1))
        }
        return Frame(Array(visible), cursor: place)
    }
}

/// A line of a frame: pieces of text, each in a style.
public struct Line: Equatable, Sendable, ExpressibleByStringLiteral {
    struct Span: Equatable, Sendable {
        var text: String
        var style: Style
    }

    private(set) var spans: [Span]

    public init(_ text: String = "", _ style: Style = .plain) {
        spans = text.isEmpty ? [] : [Span(text: text.printable, style: style)]
    }

    public init(stringLiteral text: String) { self.init(text) }

    public var text: String { spans.map(\.text).joined() }

    public static func + (left: Line, right: Line) -> Line {
        var line = left
        line.spans += right.spans
        return line
    }

    /// Appends spaces up to a width in columns.
    public func padded(to columns: Int) -> Line {
        self + Line(String(repeating: " ", count: max(0, columns - text.columns)))
    }

    func prefix(columns: Int) -> Line {
        var left = columns
        var line = Line()
        for span in spans where left > 0 {
            let text = String(span.text.prefix(columns: left))
            left -= span.text.columns
            line.spans.append(Span(text: text, style: span.style))
        }
        return line
    }
}

/// The way a piece of text looks.
public enum Style: Sendable {
    case plain, bold, dim, inverse
    case green, red, yellow

    /// The number for the terminal. The colors have none if there are to be no colors.
    func code(withColors: Bool) -> Int? {
        switch self {
        case .plain: nil
        case .bold: 1
        case .dim: 2
        case .inverse: 7
        case .red: withColors ? 31 : nil
        case .green: withColors ? 32 : nil
        case .yellow: withColors ? 33 : nil
        }
    }
}
