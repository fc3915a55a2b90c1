// SPDX-License-Identifier: Apache-2.0

import RxSwift
import Testing

@Suite struct ScheduledDisposableTests {
    @Test("A scheduled disposable disposes on its scheduler") func scheduledDisposal() {
        let disposable = BooleanDisposable()
        let virtual = HistoricalScheduler()
        let scheduled = ScheduledDisposable(scheduler: virtual, disposable: disposable)
        scheduled.dispose()
        scheduled.dispose()
        #expect(!disposable.isDisposed && !scheduled.isDisposed)
        virtual.start()
        #expect(disposable.isDisposed && scheduled.isDisposed)
    }
}
