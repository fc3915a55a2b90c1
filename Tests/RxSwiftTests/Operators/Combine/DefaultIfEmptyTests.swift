// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct DefaultIfEmptyTests {
    @Test("Only an empty sequence sends the default") func `default`() {
        #expect(events(of: Observable.empty().ifEmpty(default: 1)) == ["1", "completed"])
        #expect(events(of: sequence(2).ifEmpty(default: 1)) == ["2", "completed"])
        #expect(events(of: sequence(error: .expected).ifEmpty(default: 1)) == ["error(expected)"])
    }
}
