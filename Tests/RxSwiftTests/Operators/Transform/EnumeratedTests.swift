// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct EnumeratedTests {
    @Test("Each subscription counts from zero") func indices() {
        let source = sequence("a", "b").enumerated().map { "\($0.index)\($0.element)" }
        #expect(events(of: source) == ["0a", "1b", "completed"])
        #expect(events(of: source) == ["0a", "1b", "completed"])
    }

    @Test("An error of the source comes through") func error() {
        #expect(
            events(of: sequence(error: .expected).enumerated().map { (_: Int, element: Int) in element }) == [
                "error(expected)"
            ])
    }
}
