// SPDX-License-Identifier: Apache-2.0

import Foundation
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

        /// The fault: a closure of the main actor ran on the thread that drove, or on one that emitted meanwhile.
        @Test("A closure driven on the main queue is called there while other threads drive") @MainActor
        func drivenElsewhereToo() async {
            let main = MainQueueMark()
            let log = EventLog()
            let relay = BehaviorRelay(value: 0)
            let driver = relay.asDriver()
            let others = CompositeDisposable()
            let received = Guarded<[Int]>([])
            let subscription = driver.drive(onNext: { element in
                received.change { $0.append(element) }
                if !main.isHere { log.note("off") }
            })
            #expect(received.value == [0])
            Thread.detachNewThread {
                let drive: @Sendable () -> Void = {
                    for index in 0..<200 {
                        let other = driver.drive(onNext: { _ in if !main.isHere { log.note("off") } })
                        if index % 2 == 0 { other.dispose() } else { _ = others.insert(other) }
                    }
                }
                race([{ for element in 1...5_000 { relay.accept(element) } }, drive])
            }
            #expect(await eventually { received.value.last == 5_000 })
            #expect(log.lines.isEmpty)
            #expect(received.value == received.value.sorted())
            let count = received.value.count
            Thread.detachNewThread { relay.accept(5_001) }
            subscription.dispose()
            others.dispose()
            try? await Task.sleep(for: .milliseconds(20))
            #expect(received.value.count == count)
        }
    }
}
