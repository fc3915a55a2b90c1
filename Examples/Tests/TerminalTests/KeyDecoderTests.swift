// SPDX-License-Identifier: Apache-2.0

import Terminal
import Testing

struct KeyDecoderTests {
    static let sequences: [(String, [Key])] = [
        ("aZ~", [.character("a"), .character("Z"), .character("~")]),
        ("é日🙂", [.character("é"), .character("日"), .character("🙂")]),
        ("\r\n\t\u{8}\u{7F}", [.enter, .enter, .tab, .backspace, .backspace]),
        ("\u{3}\u{1A}\u{15}", [.interrupt, .suspend, .control("u")]),
        ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
        ("\u{1B}OA\u{1B}OH\u{1B}OF\u{1B}OM", [.up, .home, .end, .enter]),
        ("\u{1B}[1~\u{1B}[3~\u{1B}[4~\u{1B}[5~\u{1B}[6~", [.home, .delete, .end, .pageUp, .pageDown]),
        ("\u{1B}[Z\u{1B}[1;5C", [.backTab, .right]),
        // Unknown keys, and keys with Alt.
        ("\u{1B}[15~\u{1B}[Mx\u{1B}[<0;1;1Mx\u{1B}f", [.character("x"), .character("x")]),
        ("\u{1B}[\(String(repeating: "9", count: 100_000))~x", [.character("x")]),
        ("\u{1B}\u{1B}[A", [.escape, .up]),
        ("\u{1B}\r", [.escape, .enter]),
        ("\u{1B}[200~a\r\tb\u{3}\u{1B}[A\u{1B}[201~\r", "a  b".map { .character($0) } + [.enter]),
        // Controls of two bytes, U+009B among them.
        ("\u{9B}\u{80}\u{9F}\u{0}", []),
    ]

    @Test("Bytes become keys", arguments: sequences)
    func keys(text: String, keys: [Key]) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(text.utf8) == keys)
    }

    @Test("Keys are the same wherever the input is cut", arguments: sequences.filter { $0.0.utf8.count < 100 })
    func cuts(text: String, keys: [Key]) {
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            var decoder = KeyDecoder()
            #expect(decoder.decode(bytes[..<cut]) + decoder.decode(bytes[cut...]) == keys, "cut at \(cut)")
        }
        var decoder = KeyDecoder()
        #expect(bytes.flatMap { decoder.decode([$0]) } == keys)
    }

    @Test("Invalid UTF-8 becomes U+FFFD as often as the standard library says")
    func invalidCharacters() {
        var generator = Generator(state: 7)
        let interesting: [UInt8] = [0x61, 0x80, 0xA0, 0xBF, 0xC0, 0xC3, 0xE0, 0xE2, 0xED, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF]
        for _ in 0..<2_000 {
            let bytes = (0..<12).map { _ in interesting.randomElement(using: &generator)! } + Array("....".utf8)
            var decoder = KeyDecoder()
            let keys = bytes.flatMap { decoder.decode([$0]) }
            // The decoder drops the controls U+0080 to U+009F.
            let expected = String(decoding: bytes, as: UTF8.self).unicodeScalars
                .filter { !(0x80..<0xA0).contains($0.value) }
                .map { Key.character(Character($0)) }
            #expect(keys == expected, "\(bytes)")
        }
    }

    @Test("Control-C behind a pause leaves a paste whose end was lost")
    func unendingPaste() {
        for begun in ["", "a", "\u{1B}", "\u{1B}[20", "\u{C3}"] {
            var decoder = KeyDecoder()
            _ = decoder.decode("\u{1B}[200~\(begun)".utf8)
            #expect(decoder.decode("\u{3}".utf8).isEmpty)
            #expect(decoder.pause() == [])
            #expect(decoder.decode("\u{3}\r".utf8) == [.interrupt, .enter])
        }
        // Other bytes are text behind a pause, too.
        var decoder = KeyDecoder()
        _ = decoder.decode("\u{1B}[200~".utf8) + decoder.pause()
        #expect(decoder.decode("a\u{3}\r".utf8) == [.character("a"), .character(" ")])
    }

    @Test("A pause ends an escape sequence")
    func pauses() {
        var decoder = KeyDecoder()
        #expect(decoder.decode("\u{1B}".utf8) == [])
        #expect(decoder.pause() == [.escape])
        #expect(decoder.pause() == [])
        #expect(decoder.decode("[A".utf8) == [.character("["), .character("A")])
        #expect(decoder.decode("\u{1B}[1;".utf8) + decoder.pause() + decoder.decode("a".utf8) == [.character("a")])
    }

    @Test("A pause ends neither a character nor a paste")
    func pausesWithin() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0xC3]) + decoder.pause() + decoder.decode([0xA9]) == [.character("é")])
        #expect(decoder.decode("\u{1B}[200~\u{1B}[20".utf8) + decoder.pause() == [])
        #expect(decoder.decode("1~\r".utf8) == [.enter])
    }

    /// SplitMix64: the same numbers each time.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
