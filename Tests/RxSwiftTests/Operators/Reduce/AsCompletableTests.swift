// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct AsCompletableTests {
    @Test("A sequence without elements becomes a completable") func conversion() {
        #expect(text(of: Observable<Never>.empty().asCompletable().asObservable()) == "completed")
        let failing = sequence(1, error: .expected).ignoreElements().asCompletable()
        #expect(text(of: failing.asObservable()) == "error(expected)")
    }
}
