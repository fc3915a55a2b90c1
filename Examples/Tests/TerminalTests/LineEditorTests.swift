// SPDX-License-Identifier: Apache-2.0

import Terminal
import Testing

struct LineEditorTests {
    private func edited(_ text: String, _ keys: Key..., limit: Int = 20) -> (String, Int) {
        var editor = LineEditor(text, limit: limit)
        for key in keys { editor.handle(key) }
        return (editor.text, editor.cursor)
    }

    @Test("Characters are inserted at the cursor")
    func inserting() {
        #expect(edited("ac", .left, .character("b")) == ("abc", 2))
        #expect(edited("日", .character("本")) == ("日本", 2))
        // A combining character joins the one before.
        #expect(edited("e", .character("\u{301}")) == ("é", 1))
        #expect(edited("ex", .left, .character("\u{301}"), .backspace) == ("x", 0))
    }

    @Test("Text is removed on either side of the cursor")
    func removing() {
        #expect(edited("abc", .left, .backspace) == ("ac", 1))
        #expect(edited("abc", .home, .delete) == ("bc", 0))
        #expect(edited("abc", .home, .backspace) == ("abc", 0))
        #expect(edited("abc", .delete) == ("abc", 3))
        #expect(edited("abc", .left, .control("u")) == ("c", 0))
        #expect(edited("abc", .left, .control("k")) == ("ab", 2))
        #expect(edited("two words ", .control("w")) == ("two ", 4))
        #expect(edited("", .control("w"), .backspace, .left, .right) == ("", 0))
    }

    @Test("There is a limit, in characters and in bytes")
    func limit() {
        #expect(edited("abc", .home, .character("d"), limit: 3) == ("abc", 0))
        var editor = LineEditor("e", limit: 3)
        for _ in 0..<1_000 { editor.handle(.character("\u{301}")) }
        #expect(editor.text.utf8.count <= 12)
    }

    @Test("Other keys are not taken")
    func otherKeys() {
        var editor = LineEditor("abc")
        #expect(!editor.handle(.enter) && !editor.handle(.tab) && !editor.handle(.interrupt))
        #expect(editor == LineEditor("abc"))
    }

    @Test("The visible part contains the cursor")
    func visiblePart() {
        var editor = LineEditor("abcdef")
        #expect(editor.visiblePart(width: 10) == ("abcdef", 6))
        #expect(editor.visiblePart(width: 4) == ("def", 3))
        #expect(editor.visiblePart(width: 1) == ("", 0))
        #expect(editor.visiblePart(width: 10, mask: "*") == ("******", 6))
        editor.handle(.home)
        #expect(editor.visiblePart(width: 4) == ("abcd", 0))
        #expect(LineEditor("日本語").visiblePart(width: 6) == ("本語", 4))
    }
}
