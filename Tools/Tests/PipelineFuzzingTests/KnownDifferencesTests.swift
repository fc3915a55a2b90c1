// SPDX-License-Identifier: Apache-2.0

import Foundation
import PipelineFuzzing
import Testing

@Suite struct KnownDifferencesTests {
    static let explanations = Set(
        KnownDifference.all.map(\.words) + KnownDifference.aboutDisposals.map(\.words)
            + KnownDifference.modelled.map(\.words)
    ).sorted()

    @Test("Each explanation begins a line of KnownDifferences.md", arguments: explanations)
    func documented(_ words: String) throws {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        let text = try String(contentsOf: folder.appendingPathComponent("KnownDifferences.md"), encoding: .utf8)
        #expect(text.contains("\n| " + words))
    }
}
