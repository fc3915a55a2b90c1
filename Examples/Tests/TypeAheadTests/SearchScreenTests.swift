// SPDX-License-Identifier: Apache-2.0

import Terminal
import Testing
import TypeAhead

struct SearchScreenTests {
    private let size = WindowSize(rows: 8, columns: 30)
    private let lines = ["one", "two", "three", "four", "five"]

    private func state(_ keys: Key...) -> SearchState {
        var state = SearchState()
        for key in keys { state.handle(key) }
        return state
    }

    @Test(
        "The phase stands below the query",
        arguments: [
            (.idle, "type to search"), (.searching, "searching..."), (.offline(retryIn: 2), "offline, retrying in 2 s"),
            (.found, "nothing found"),
        ] as [(SearchModel.Phase, String)])
    func phases(phase: SearchModel.Phase, text: String) {
        let frame = SearchScreen(state: state(.character("x")), phase: phase).frame(for: size)
        #expect(frame.text == ["Search x", text, "", "Up, Down select  Enter take  Esc clear  Ctrl-C leave"])
        #expect(frame.cursor == .init(row: 0, column: 8))
    }

    @Test("The list keeps the selected line in sight")
    func selection() {
        let results = SearchResults(query: "x", lines: lines, total: 7)
        var screen = SearchScreen(state: state(.character("x")), phase: .found, results: results)
        #expect(screen.frame(for: size).text[1...5] == ["7 lines, the first 5 below", "", "> one", "  two", "  three"])
        screen.state = state(.character("x"), .down, .down, .down)
        #expect(screen.frame(for: size).text[3...5] == ["  two", "  three", "> four"])
        screen.state = state(.character("x"), .pageDown)
        #expect(screen.frame(for: size).text[3...5] == ["  three", "  four", "> five"])
        #expect(screen.choice == "five")
        #expect(screen.frame(for: WindowSize(rows: 1, columns: 1)).text[3] == "> f")
    }

    @Test("There is no choice while the results are those of another query")
    func choice() {
        var screen = SearchScreen(
            state: state(.character("x"), .character(" ")), phase: .found,
            results: SearchResults(query: "x", lines: lines, total: 5))
        #expect(screen.choice == "one")
        screen.state.handle(.character("y"))
        #expect(screen.choice == nil)
        screen.state = state(.character("x"))
        screen.results = SearchResults(query: "x")
        #expect(screen.choice == nil && screen.selection == nil)
    }

    @Test(
        "The match is bold, wherever it is",
        arguments: [("Map", "remap"), ("本", "日本語"), ("re", "remap"), ("p", "remap")])
    func match(query: String, text: String) {
        let results = SearchResults(query: query, lines: ["first", text], total: 2)
        let line = SearchScreen(state: state(), phase: .found, results: results).frame(for: size).lines[4]
        let match = text.lowercased().firstRange(of: query.lowercased())!
        #expect(line.text == "  " + text)
        #expect(
            line == Line("  ", .bold) + Line(String(text[..<match.lowerBound])) + Line(String(text[match]), .bold)
                + Line(String(text[match.upperBound...])))
    }

    @Test("Editing selects the first line again, Escape clears the query")
    func editing() {
        #expect(state(.down, .down).selection == 2)
        #expect(state(.down, .character("x")).selection == 0)
        #expect(state(.up).selection == 0)
        #expect(state(.character("x"), .escape).query.text == "")
        #expect(state(.enter, .enter).choices == 2)
    }
}
