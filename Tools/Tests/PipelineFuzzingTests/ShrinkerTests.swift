// SPDX-License-Identifier: Apache-2.0

import PipelineFuzzing
import PipelineModel
import Testing

@Suite struct ShrinkerTests {
    /// Tells which programs fail: those with a `take` above a `flatMap`.
    private func fails(_ program: Program) -> Bool {
        program.mains.flatMap(\.all).contains { node in
            node.op == .take && node.children[0].all.contains { $0.op == .flatMap }
        }
    }

    @Test("Shrinking leaves the part that fails") func shrunk() throws {
        let programs = (UInt64(0)..<4000).map { Generator.program(seed: $0, kind: .sync, levels: 3) }.filter(fails)
        try #require(programs.count > 5)
        for program in programs.prefix(5) {
            let small = Shrinker { $0.map(fails) }.shrink(program)
            #expect(fails(small))
            #expect(small.nodes.count == 4)
            #expect(small.script.isEmpty)
        }
    }

    @Test("A program of which no smaller part fails stays as it is") func unchanged() throws {
        let program = Generator.program(seed: 1, kind: .virtual, levels: 2)
        #expect(Shrinker { $0.map { _ in false } }.shrink(program) == program)
    }
}
