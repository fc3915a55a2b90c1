// SPDX-License-Identifier: Apache-2.0

import PipelineFuzzing
import PipelineModel
import Testing

@Suite struct GeneratorTests {
    @Test("One seed makes one program", arguments: Kind.allCases) func oneSeed(kind: Kind) {
        let programs = (UInt64(0)..<50).map { Generator.program(seed: $0, kind: kind, levels: 2) }
        #expect(programs == (UInt64(0)..<50).map { Generator.program(seed: $0, kind: kind, levels: 2) })
        #expect(Set(programs).count > 45)
    }

    @Test("Every operator is generated") func everyOperator() {
        var missing = Set(Operator.allCases)
        for seed in UInt64(0)..<5000 {
            for kind in Kind.allCases {
                for node in Generator.program(seed: seed, kind: kind, levels: 2).nodes { missing.remove(node.op) }
            }
            if missing.isEmpty { return }
        }
        #expect(missing.isEmpty)
    }
}
