// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct SkipTests {
    @Test("The first elements are dropped") func count() {
        #expect(events(of: sequence(1, 2, 3).skip(2)) == ["3", "completed"])
        #expect(events(of: sequence(1).skip(2)) == ["completed"])
        #expect(events(of: sequence(1).skip(0)) == ["1", "completed"])
        #expect(events(of: sequence(1).skip(-1)) == ["1", "completed"])
    }

    @Test("An error of the source comes through") func error() {
        #expect(events(of: sequence(1, error: .expected).skip(2)) == ["error(expected)"])
    }
}
