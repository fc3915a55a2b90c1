// SPDX-License-Identifier: Apache-2.0

import Terminal
import Testing

struct PainterTests {
    private let size = WindowSize(rows: 10, columns: 20)

    /// Returns the output for the second of two frames.
    private func change(_ first: Frame, _ second: Frame, hasColors: Bool = true) -> String {
        var painter = Painter(hasColors: hasColors)
        painter.paint(first, size: size)
        painter.paint(second, size: size)
        return painter.output
    }

    @Test("The first frame is drawn whole")
    func firstFrame() {
        var painter = Painter(hasColors: true)
        painter.paint(Frame(["a", "b"], cursor: .init(row: 1, column: 1)), size: size)
        let clear = "\u{1B}[?25l\u{1B}[m\u{1B}[2J"
        #expect(painter.output == clear + "\u{1B}[1;1H\u{1B}[Ka\u{1B}[2;1H\u{1B}[Kb\u{1B}[2;2H\u{1B}[?25h")
    }

    @Test("Later only lines that differ are drawn")
    func laterFrames() {
        #expect(change(Frame(["a", "b"]), Frame(["a", "c"])) == "\u{1B}[?25l\u{1B}[2;1H\u{1B}[Kc")
        #expect(change(Frame(["a", "b"]), Frame(["a"])) == "\u{1B}[?25l\u{1B}[2;1H\u{1B}[K")
        #expect(change(Frame(["a", "b"]), Frame(["a", "b"])) == "")
    }

    @Test("A window of another size is drawn whole")
    func resized() {
        var painter = Painter(hasColors: true)
        painter.paint(Frame(["abc"]), size: size)
        painter.paint(Frame(["abc"]), size: WindowSize(rows: 10, columns: 2))
        #expect(painter.output.contains("\u{1B}[2J") && painter.output.hasSuffix("ab"))
    }

    @Test("Without colors other styles remain")
    func withoutColors() {
        let line = Line("a", .red) + Line("b", .inverse)
        #expect(change(Frame([]), Frame([line])).hasSuffix("\u{1B}[31ma\u{1B}[m\u{1B}[7mb\u{1B}[m"))
        #expect(change(Frame([]), Frame([line]), hasColors: false).hasSuffix("Ka\u{1B}[7mb\u{1B}[m"))
    }
}
