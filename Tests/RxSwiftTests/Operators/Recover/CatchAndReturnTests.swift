// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct CatchAndReturnTests {
    @Test("An element and completion take the place of the error") func element() {
        #expect(text(of: failing(1).catchAndReturn(2)) == "1 2 completed")
        #expect(text(of: sequence(1).catchAndReturn(2)) == "1 completed")
    }

    @Test("Disposal at the returned element drops the completion") func disposal() {
        let subscription = SerialDisposable()
        let source = PublishSubject<Int>()
        nonisolated(unsafe) var completions = 0
        subscription.disposable = source.catchAndReturn(1).subscribe(
            onNext: { _ in subscription.dispose() }, onCompleted: { completions += 1 })
        source.onError(NumberedFailure())
        #expect(completions == 0)
    }
}
