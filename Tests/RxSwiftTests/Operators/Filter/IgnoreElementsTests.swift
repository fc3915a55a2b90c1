// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct IgnoreElementsTests {
    @Test("Only the end comes through") func end() {
        #expect(events(of: sequence(1, 2).ignoreElements()) == ["completed"])
        #expect(events(of: sequence(1, 2, error: .expected).ignoreElements()) == ["error(expected)"])
    }
}
