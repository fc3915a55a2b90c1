// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct ErrorTests {
    @Test("The result fails with the error") func error() {
        #expect(events(of: Observable<Int>.error(Failure.expected)) == ["error(expected)"])
    }
}
