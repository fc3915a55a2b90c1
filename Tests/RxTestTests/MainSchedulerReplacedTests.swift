// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct MainSchedulerReplacedTests {
    @Test("Code that names the main scheduler runs in virtual time") func virtualTime() {
        let clock = TestClock()
        MainScheduler.replaced(by: ClockScheduler(clock)) {
            let log = EventLog()
            let subject = PublishSubject<String>()
            let subscription = subject.debounce(.milliseconds(300), scheduler: MainScheduler.instance)
                .observe(on: MainScheduler.asyncInstance)
                .subscribe(on: ConcurrentMainScheduler.instance)
                .subscribe(onNext: {
                    MainScheduler.ensureExecutingOnScheduler()
                    log.note($0)
                })
            clock.advance(by: .zero)
            subject.onNext("a")
            clock.advance(by: .milliseconds(200))
            subject.onNext("b")
            clock.advance(by: .milliseconds(299))
            #expect(log.text == "")
            clock.advance(by: .milliseconds(1))
            #expect(log.text == "b")
            #expect(MainScheduler.instance.now.timeIntervalSince1970 == 0.5)
            subscription.dispose()
        }
    }

    @Test("It works as if the code had been given the scheduler") func sameTimes() {
        func record(_ build: @escaping (TestScheduler, Observable<Int>) -> Observable<Int>) -> [Recorded<Event<Int>>] {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .next(240, 3), .completed(300)])
            return MainScheduler.replaced(by: scheduler) {
                scheduler.start { build(scheduler, source.asObservable()) }.events
            }
        }
        let builds: [(any SchedulerType, Observable<Int>) -> Observable<Int>] = [
            { $1.observe(on: $0) }, { $1.delay(.seconds(7), scheduler: $0) },
            { $1.debounce(.seconds(15), scheduler: $0) },
            { scheduler, _ in Observable.interval(.seconds(100), scheduler: scheduler) }, { $1.subscribe(on: $0) },
        ]
        for build in builds {
            let given = record { build($0, $1) }
            #expect(record { build(MainScheduler.instance, $1) } == given)
            #expect(record { build(MainScheduler.asyncInstance, $1) } == given)
            #expect(record { build(MainScheduler(), $1) } == given)
        }
    }

    @Test("Drivers deliver by the scheduler of the test") func drivers() {
        let scheduler = TestScheduler(initialClock: 0)
        MainScheduler.replaced(by: scheduler) {
            let relay = BehaviorSubject(value: 1)
            let log = EventLog()
            let subscription = relay.asDriver(onErrorJustReturn: 0).drive(onNext: { log.note("\($0)") })
            #expect(log.text == "")
            scheduler.start()
            #expect(log.text == "1")
            subscription.dispose()
        }
    }

    @Test("The replacement is the task's: others see the main scheduler") func scope() async {
        let (first, second) = (TestScheduler(initialClock: 0), TestScheduler(initialClock: 7))
        await MainScheduler.replaced(by: first) {
            await Task.yield()
            #expect(MainScheduler.instance.now == first.now)
            let other = await Task { MainScheduler.replaced(by: second) { MainScheduler.instance.now } }.value
            #expect(other == second.now)
            #expect(await Task { MainScheduler.instance.now }.value == first.now)
            #expect(await Task.detached { MainScheduler.instance.now }.value.timeIntervalSince1970 > 1_000_000)
        }
        #expect(MainScheduler.instance.now.timeIntervalSince1970 > 1_000_000)
        #expect(ConcurrentMainScheduler.instance.now.timeIntervalSince1970 > 1_000_000)
        #expect(throws: Failure.expected) { try MainScheduler.replaced(by: first) { throw Failure.expected } }
    }
}
