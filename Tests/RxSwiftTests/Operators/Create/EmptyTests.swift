// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct EmptyTests {
    @Test("The result completes at once") func completion() {
        #expect(events(of: Observable<Int>.empty()) == ["completed"])
    }

    @Test("Stages below an ended source learn of the end") func stagesBelow() {
        var completions = 0
        let source = Observable<Int>.empty().ifEmpty(default: 1).take(1).do(onCompleted: { completions += 1 })
        #expect(events(of: source) == ["1", "completed"])
        #expect(completions == 1)
    }
}
