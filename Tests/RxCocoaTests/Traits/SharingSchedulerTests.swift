// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxSwift
import RxTest
import TestSupport
import Testing

extension SharedSequences {
    @Suite struct SharingSchedulerTests {
        @Test("Drivers and signals deliver on the main queue") func mainQueue() {
            #expect(SharingScheduler.make() is MainScheduler)
            #expect(DriverSharingStrategy.scheduler is MainScheduler)
            #expect(SignalSharingStrategy.scheduler is MainScheduler)
        }

        @Test("mock replaces the scheduler during its action") func mock() {
            let outer = ticks()
            let inner = ticks()
            SharingScheduler.mock(scheduler: outer) {
                #expect(DriverSharingStrategy.scheduler as? TestScheduler === outer)
                SharingScheduler.mock(makeScheduler: { inner }) {
                    #expect(SignalSharingStrategy.scheduler as? TestScheduler === inner)
                }
                #expect(SharingScheduler.make() as? TestScheduler === outer)
            }
            #expect(SharingScheduler.make() is MainScheduler)
        }

        @Test("mock rethrows an error of its action and restores the scheduler") func throwingAction() {
            #expect(throws: Failure.expected) {
                try SharingScheduler.mock(scheduler: ticks()) { throw Failure.expected }
            }
            #expect(SharingScheduler.make() is MainScheduler)
        }

        @Test("A sequence keeps the scheduler that it was made with") func lasting() {
            let scheduler = ticks()
            var driver = Driver<Int>.never()
            SharingScheduler.mock(scheduler: scheduler) { driver = .just(1) }
            let observer = scheduler.createObserver(Int.self)
            _ = driver.drive(observer)
            scheduler.start()
            #expect(observer.events == [.next(1, 1), .completed(1)])
        }
    }
}
