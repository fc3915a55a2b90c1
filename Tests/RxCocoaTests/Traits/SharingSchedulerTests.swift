import RxCocoa
import RxSwift
import RxTest
import TestSupport
import Testing

extension SharedSequences {
    @Suite struct SharingSchedulerTests {
        @Test func driversAndSignalsAreOnTheMainQueue() {
            #expect(SharingScheduler.make() is MainScheduler)
            #expect(DriverSharingStrategy.scheduler is MainScheduler)
            #expect(SignalSharingStrategy.scheduler is MainScheduler)
        }

        @Test func anActionRunsWithTheSchedulerAndItIsThenWhatItWas() {
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

        @Test func anErrorOfTheActionComesOutAndTheSchedulerIsWhatItWas() {
            #expect(throws: Failure.expected) {
                try SharingScheduler.mock(scheduler: ticks()) { throw Failure.expected }
            }
            #expect(SharingScheduler.make() is MainScheduler)
        }

        @Test func aSequenceKeepsTheSchedulerItWasMadeWith() {
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
