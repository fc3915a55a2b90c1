// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxCocoa
import RxRelay
import RxSwift
import TestSupport
import Testing

extension SharedSequences {
    /// The closures of `drive` and `emit` run on the main queue, wherever these are called.
    @Suite struct SharedSequenceSubscribeTests {
        private let main = MainQueueMark()

        /// The fault: a closure of the main actor, in a program in Swift 6 mode, is called on another thread, which stops the program.
        @Test("An element that a driver remembers comes on the main queue") func replay() async {
            let driver = BehaviorRelay(value: 1).asDriver()
            let keeper = await MainActor.run { driver.drive() }
            let (onMain, elsewhere) = (AtomicCounter(0), AtomicCounter(0))
            let bag = DisposeBag()
            let driveMany: @Sendable () -> Void = {
                for _ in 0..<500 {
                    driver.drive(onNext: { _ in (main.isHere ? onMain : elsewhere).increment() }).disposed(by: bag)
                }
            }
            race(driveMany, driveMany, driveMany, driveMany)
            #expect(await eventually { onMain.value == 2_000 })
            #expect(elsewhere.value == 0)
            keeper.dispose()
            withExtendedLifetime(bag) {}
        }

        @Test("On the main queue a remembered element comes inside the call") @MainActor func here() {
            let log = EventLog()
            let subscription = BehaviorRelay(value: 1).asDriver().drive(onNext: { log.note("\($0)") })
            log.note("driven")
            #expect(log.lines == ["1", "driven"])
            subscription.dispose()
        }

        @Test("A dispose on another thread runs onDisposed on the main queue") func onDisposed() async {
            let log = EventLog()
            let relay = PublishRelay<Int>()
            let note: @Sendable () -> Void = { log.note(main.isHere ? "main" : "elsewhere") }
            let subscriptions = await MainActor.run {
                [
                    relay.asSignal().emit(onDisposed: note),
                    relay.asDriver(onErrorJustReturn: 0).drive(onDisposed: note),
                    Observable<Int>.never().subscribe(onMainNext: { _ in }, onDisposed: note),
                ]
            }
            race { for subscription in subscriptions { subscription.dispose() } }
            #expect(await eventually { log.lines == ["main", "main", "main"] })
        }

        @Test("Under mock closures run where the mock delivers") func mock() {
            let log = EventLog()
            SharingScheduler.mock(scheduler: HereScheduler()) {
                _ = BehaviorRelay(value: 1).asDriver().drive(
                    onNext: { log.note("\($0)") }, onDisposed: { log.note("disposed") })
            }
            #expect(log.lines == ["1"])
        }

        @Test("A binder writes on the main queue") func binder() async {
            let log = EventLog()
            let target = Target()
            race { Binder<Int>(target) { _, number in log.note("\(number) \(main.isHere)") }.onNext(1) }
            #expect(await eventually { log.lines == ["1 true"] })
        }

        private final class Target: Sendable {}
    }
}
