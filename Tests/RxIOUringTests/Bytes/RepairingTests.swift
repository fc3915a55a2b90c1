// SPDX-License-Identifier: Apache-2.0

import RxIOUring
import RxSwift
import Testing

/// Texts of bytes that are not valid UTF-8.
@Suite struct RepairingTests {
    /// The first and the last byte of each row of table 3-7 of the Unicode Standard, and its neighbours.
    private static let edges: [UInt8] = [
        0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
        0xEF, 0xF0, 0xF1, 0xF3, 0xF4,
        0xF5, 0xFF,
    ]

    private func expectSame(_ bytes: [UInt8]) {
        let text = String(ByteChunk(bytes))
        if text.utf8.elementsEqual(String(decoding: bytes, as: UTF8.self).utf8) { return }
        Issue.record("\(bytes) became \(Array(text.utf8))")
    }

    @Test("All short rows of bytes become the text that the standard library makes of them") func edges() {
        let edges = RepairingTests.edges
        expectSame([])
        for first in edges {
            expectSame([first])
            for second in edges {
                expectSame([first, second])
                for third in edges {
                    expectSame([first, second, third])
                    if first < 0xF0 { continue }
                    for fourth in edges { expectSame([first, second, third, fourth]) }
                }
            }
        }
    }

    @Test("An invalid byte is replaced at each place of a long text", arguments: ["0123456789abcdef", "äöü€漢字𝄞"])
    func places(_ part: String) {
        let whole = Array(String(repeating: part, count: 4).utf8)
        for place in whole.indices {
            for invalid: UInt8 in [0x80, 0xC3, 0xF0, 0xFF] {
                var bytes = whole
                bytes[place] = invalid
                expectSame(bytes)
            }
            expectSame(Array(whole[..<place]))
        }
    }

    @Test("A line in which no byte is valid is a line") func noneValid() async throws {
        let line = [UInt8](repeating: 0xFF, count: 10_000)
        let texts = Observable.just(ByteChunk(line + [0x0A])).lines().toArray()
        #expect(try await texts.value == [String(repeating: "\u{FFFD}", count: 10_000)])
    }
}
