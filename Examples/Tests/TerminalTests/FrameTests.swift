// SPDX-License-Identifier: Apache-2.0

import Terminal
import Testing

struct FrameTests {
    private let frame = Frame(["one", "two", Line("three", .bold), "four"], cursor: .init(row: 2, column: 4))

    @Test("A window that is large enough shows the frame as it is")
    func large() {
        #expect(frame.fitted(to: WindowSize(rows: 24, columns: 80)) == frame)
    }

    @Test(
        "A small window shows the rows down to the cursor",
        arguments: [
            (WindowSize(rows: 3, columns: 3), ["one", "two", "thr"], Frame.Position(row: 2, column: 2)),
            (WindowSize(rows: 2, columns: 80), ["two", "three"], Frame.Position(row: 1, column: 4)),
            (WindowSize(rows: 1, columns: 1), ["t"], Frame.Position(row: 0, column: 0)),
            (WindowSize(rows: 0, columns: -1), ["t"], Frame.Position(row: 0, column: 0)),
        ])
    func small(size: WindowSize, text: [String], cursor: Frame.Position) {
        let fitted = frame.fitted(to: size)
        #expect(fitted.text == text)
        #expect(fitted.cursor == cursor)
    }

    @Test("A wide character is shown whole or not at all")
    func wideCharacters() {
        #expect(Frame(["日本"]).fitted(to: WindowSize(rows: 1, columns: 3)).text == ["日"])
        #expect("日本".columns == 4 && "e\u{301}🙂".columns == 3)
        #expect(Line("日").padded(to: 4).text == "日  ")
    }

    @Test("Control characters do not reach the terminal")
    func controlCharacters() {
        #expect(Line("a\tb\u{1B}[2J\u{9B}\r\n\u{7F}").text == "a b\u{FFFD}[2J\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}")
    }
}
