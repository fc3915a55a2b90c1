// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxRelay
import RxSwift
import TestSupport
import Testing

extension SharedSequences {
    /// One test per line of KnownDifferences.md that is about this module.
    @Suite struct KnownDifferencesTests {
        @Test("drive and emit run off the main queue") func offTheMainQueue() async {
            let main = MainQueueMark()
            let log = EventLog()
            let note: @Sendable (Int) -> Void = { log.note("\($0) \(main.isHere ? "on" : "off") the main queue") }
            let subscriptions = CompositeDisposable()
            let driver = BehaviorRelay(value: 1).asDriver()
            race { _ = subscriptions.insert(driver.drive(onNext: note)) }
            #expect(await eventually { log.lines == ["1 on the main queue"] })
            log.clear()
            race {
                _ = subscriptions.insert(driver.drive(onNext: note))
                log.note("driven")
            }
            #expect(await eventually { log.lines.sorted() == ["1 on the main queue", "driven"] })
            log.clear()
            let relay = PublishRelay<Int>()
            race { _ = subscriptions.insert(relay.asSignal().emit(onNext: note)) }
            relay.accept(2)
            #expect(await eventually { log.lines == ["2 on the main queue"] })
            subscriptions.dispose()
        }
    }
}
