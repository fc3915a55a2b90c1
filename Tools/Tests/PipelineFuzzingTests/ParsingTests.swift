// SPDX-License-Identifier: Apache-2.0

import PipelineFuzzing
import PipelineModel
import Testing

@Suite struct ParsingTests {
    @Test("The text of a program parses to the same program", arguments: Kind.allCases) func roundTrip(kind: Kind)
        throws
    {
        for seed in UInt64(0)..<500 {
            let program = Generator.program(seed: seed, kind: kind, levels: 3)
            #expect(try Program(parsing: "\(program)") == program)
        }
    }

    @Test(
        "Malformed text is rejected",
        arguments: [
            "(map 0 0 (just 1)", "sync | | | s0", "sync | | (map 0 (just 1)) | s0", "sync | | (nothing) | s0",
        ])
    func malformed(text: String) {
        #expect(throws: ParseError.self) { try Program(parsing: text) }
    }
}
