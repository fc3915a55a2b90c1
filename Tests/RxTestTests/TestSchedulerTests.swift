// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import RxTest
import Testing

@Suite struct TestSchedulerTests {
    struct Failure: Error {}

    @Test("Subscriptions are equal if both their times are") func subscriptionEquality() {
        #expect(Set([Subscription(1, 2), Subscription(1, 2), Subscription(1, 3), Subscription(0, 2)]).count == 3)
    }

    @Test("asObserver returns an observer that receives the same events") func observerIdentity() {
        var received: [Int] = []
        let observer = AnyObserver<Int> { if let element = $0.element { received.append(element) } }
        observer.asObserver().onNext(1)
        #expect(received == [1])
    }

    @Test("A hot observable sends at absolute times") func hotObservable() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .next(150, 1), .next(210, 2), .next(220, 3), .completed(230), .next(240, 4),
        ])
        let result = scheduler.start { source }
        #expect(result.events == [.next(210, 2), .next(220, 3), .completed(230)])
        #expect(source.subscriptions == [Subscription(200, 230)])
        #expect(scheduler.clock == 1000)
    }

    @Test("A cold observable sends at times relative to its subscription") func coldObservable() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable([.next(10, "a"), .error(20, Failure())])
        let result = scheduler.start { source.map { $0 + "!" } }
        #expect(result.events == [.next(210, "a!"), .error(220, Failure())])
        #expect(source.subscriptions == [Subscription(200, 220)])
        #expect(source.recordedEvents.count == 2)
    }

    @Test("Work at the end of time runs there") func endOfTime() {
        let scheduler = TestScheduler(initialClock: .max)
        let observer = scheduler.createObserver(Int.self)
        _ = Observable.of(1, 2, scheduler: scheduler).subscribe(observer)
        scheduler.start()
        #expect(observer.events == [.next(.max, 1), .next(.max, 2), .completed(.max)])
    }

    @Test("The disposal ends an unfinished subscription") func disposal() {
        let scheduler = TestScheduler(initialClock: 0)
        let cold = scheduler.createColdObservable([.next(10, 1), .next(100, 2), .next(900, 3)])
        let result = scheduler.start(disposed: 300) { cold }
        #expect(result.events == [.next(210, 1)])
        #expect(cold.subscriptions == [Subscription(200, 300)])

        let other = TestScheduler(initialClock: 0)
        let hot = other.createHotObservable([.next(10, 1), .next(20, 2)])
        let early = other.start(created: 5, subscribed: 15, disposed: 30) { hot }
        #expect(early.events == [.next(20, 2)])
        #expect(hot.subscriptions == [Subscription(15, 30)])
    }

    @Test("Events carry the time of the scheduler") func schedulerTime() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(Recorded.events(.next(210, 1), .next(220, 2), .next(230, 3)))
        let observer = scheduler.createObserver(Int.self)
        let subscription = source.filter { $0 != 2 }.subscribe(observer)
        scheduler.scheduleAt(225) { subscription.dispose() }
        scheduler.start()
        #expect(observer.events == [.next(210, 1)])
        #expect(source.subscriptions == [Subscription(0, 225)])
    }

    @Test("A direct subscriber receives the script as it stands") func directSubscriber() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable([.completed(1), .next(2, 1)])
        let observer = scheduler.createObserver(Int.self)
        _ = source.subscribe(observer)
        scheduler.start()
        #expect(observer.events == [.completed(1), .next(2, 1)])
        #expect(source.subscriptions == [Subscription(0)])
    }

    @Test("An immediate action runs one tick later with a simulated processing delay", arguments: [true, false])
    func processingDelay(simulate: Bool) {
        let scheduler = TestScheduler(initialClock: 10, simulateProcessingDelay: simulate)
        var clock = 0
        _ = scheduler.schedule(()) { _ in
            clock = scheduler.clock
            return Disposables.create()
        }
        scheduler.start()
        #expect(clock == (simulate ? 11 : 10))
    }

    @Test("The resolution is the seconds per tick", arguments: [0.001, 0.1, 1.0, 5.0])
    func resolution(resolution: Double) {
        let scheduler = TestScheduler(initialClock: 0, resolution: resolution)
        var clocks: [Int] = []
        for seconds in [5, 10] {
            _ = scheduler.scheduleRelative((), dueTime: .seconds(seconds)) { _ in
                clocks.append(scheduler.clock)
                return Disposables.create()
            }
        }
        _ = scheduler.scheduleRelative((), dueTime: .never) { _ in Disposables.create() }.dispose()
        scheduler.start()
        #expect(clocks == [Int((5 / resolution).rounded()), Int((10 / resolution).rounded())])
        #expect(scheduler.now == Date(timeIntervalSince1970: 10))
    }

    @Test("A periodic action ticks without drift") func periodicAction() {
        let scheduler = TestScheduler(initialClock: 0)
        var ticks: [Int] = []
        let periodic = scheduler.schedulePeriodic(0, startAfter: .seconds(5), period: .seconds(10)) { count in
            ticks.append(scheduler.clock)
            return count + 1
        }
        scheduler.scheduleAt(40) { periodic.dispose() }
        scheduler.start()
        #expect(ticks == [5, 15, 25, 35])
    }

    @Test("A period of zero takes one tick each") func zeroPeriod() {
        let scheduler = TestScheduler(initialClock: 0)
        var ticks: [Int] = []
        var periodic: (any Disposable)?
        periodic = scheduler.schedulePeriodic(0, startAfter: .seconds(0), period: .seconds(0)) { count in
            ticks.append(scheduler.clock)
            if count == 3 { periodic?.dispose() }
            return count + 1
        }
        scheduler.start()
        #expect(ticks == [1, 2, 3, 4])
    }

    @Test("The test scheduler runs on any thread") func anyThread() async {
        let events = await Task.detached {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable([.next(210, 1), .completed(220)])
            return scheduler.start { source }.events.map(\.debugDescription)
        }.value
        #expect(events == ["next(1) @ 210", "completed @ 220"])
    }

    @Test("Descriptions read as in RxSwift") func descriptions() {
        #expect("\(Subscription(200, 300)) \(Subscription(200))" == "(200: 300) (200: Infinity)")
        #expect(Recorded.next(5, "a").debugDescription == "next(a) @ 5")
        #expect(Event<Int>.error(Failure()) == .error(Failure()))
        #expect(Event<Int>.error(Failure()) != .error(RxError.unknown))
        #expect(Event.next(1) != .next(2) && Event.next(1) != .completed)
    }
}
