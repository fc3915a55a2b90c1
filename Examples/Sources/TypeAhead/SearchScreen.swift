// SPDX-License-Identifier: Apache-2.0

public import Terminal

/// All that the search shows, and how it looks.
public struct SearchScreen: Equatable, Sendable {
    public var state: SearchState
    public var phase: SearchModel.Phase
    public var results: SearchResults

    public init(state: SearchState, phase: SearchModel.Phase = .idle, results: SearchResults = SearchResults()) {
        self.state = state
        self.phase = phase
        self.results = results
    }

    /// The number of the selected line; nil if there is none.
    public var selection: Int? {
        results.lines.isEmpty ? nil : min(state.selection, results.lines.count - 1)
    }

    /// The selected line, if the results are those of the query as it is now.
    public var choice: String? {
        guard let selection, results.query == SearchModel.trimmed(state.query.text) else { return nil }
        return results.lines[selection]
    }

    private static let prompt = "Search "

    public func frame(for size: WindowSize) -> Frame {
        // A column is left for the cursor.
        let width = max(1, size.columns - Self.prompt.columns - 1)
        let part = state.query.visiblePart(width: width)
        var lines = [Line(Self.prompt, .bold) + Line(part.text), status, ""]
        let room = max(1, size.rows - lines.count - 2)
        // The selected line is in sight.
        let first = max(0, (selection ?? 0) - room + 1)
        for (number, text) in results.lines.enumerated().dropFirst(first).prefix(room) {
            lines.append(line(String(text.prefix(size.columns)), isSelected: number == selection))
        }
        if !results.lines.isEmpty { lines.append("") }
        lines += [Line("Up, Down select  Enter take  Esc clear  Ctrl-C leave", .dim)]
        return Frame(lines, cursor: .init(row: 0, column: Self.prompt.columns + part.cursor))
    }

    private var status: Line {
        switch phase {
        case .idle: return Line("type to search", .dim)
        case .searching: return Line("searching...", .yellow)
        case .offline(let seconds): return Line("offline, retrying in \(seconds) s", .red)
        case .found:
            if results.total == 0 { return Line("nothing found", .dim) }
            let count = results.total == 1 ? "1 line" : "\(results.total) lines"
            let isCut = results.lines.count < results.total
            return Line(isCut ? "\(count), the first \(results.lines.count) below" : count, .green)
        }
    }

    private func line(_ text: String, isSelected: Bool) -> Line {
        let mark = Line(isSelected ? "> " : "  ", .bold)
        if isSelected { return mark + Line(text, .inverse) }
        let lowered = text.lowercased()
        guard lowered.count == text.count, let match = lowered.firstRange(of: results.query.lowercased()) else {
            return mark + Line(text)
        }
        // The match in the text has the same place as in the text in lower case.
        let start = lowered.distance(from: lowered.startIndex, to: match.lowerBound)
        let end = lowered.distance(from: lowered.startIndex, to: match.upperBound)
        let characters = Array(text)
        return mark + Line(String(characters[..<start])) + Line(String(characters[start..<end]), .bold)
            + Line(String(characters[end...]))
    }
}
