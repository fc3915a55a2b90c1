// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct NeverTests {
    @Test("The result is silent") func silence() {
        #expect(events(of: Observable<Int>.never()) == [])
    }
}
