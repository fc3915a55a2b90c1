// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct ToArrayTests {
    @Test("All elements come in one array") func array() {
        let source = sequence(1, 2).toArray().asObservable()
        #expect(events(of: source) == ["[1, 2]", "completed"])
        #expect(events(of: source) == ["[1, 2]", "completed"])
        #expect(events(of: Observable<Int>.empty().toArray().asObservable()) == ["[]", "completed"])
        #expect(events(of: sequence(1, error: .expected).toArray().asObservable()) == ["error(expected)"])
    }
}
