import PipelineFuzzing
import PipelineModel
import Testing

@Suite struct GeneratorTests {
    @Test(arguments: Kind.allCases) func theTextOfAProgramReadsBack(kind: Kind) throws {
        for seed in UInt64(0)..<500 {
            let program = Generator.program(seed: seed, kind: kind, levels: 3)
            #expect(try Program(parsing: "\(program)") == program)
        }
    }

    @Test(arguments: Kind.allCases) func oneSeedMakesOneProgram(kind: Kind) {
        let programs = (UInt64(0)..<50).map { Generator.program(seed: $0, kind: kind, levels: 2) }
        #expect(programs == (UInt64(0)..<50).map { Generator.program(seed: $0, kind: kind, levels: 2) })
        #expect(Set(programs).count > 45)
    }

    @Test func everyOperatorIsGenerated() {
        var missing = Set(Operator.allCases)
        for seed in UInt64(0)..<5000 {
            for kind in Kind.allCases {
                for node in Generator.program(seed: seed, kind: kind, levels: 2).nodes { missing.remove(node.op) }
            }
            if missing.isEmpty { return }
        }
        #expect(missing.isEmpty)
    }

    @Test(arguments: [
        "(map 0 0 (just 1)", "sync | | | s0", "sync | | (map 0 (just 1)) | s0", "sync | | (nothing) | s0",
    ])
    func malformedTextIsRejected(text: String) {
        #expect(throws: ParseError.self) { try Program(parsing: text) }
    }
}
