import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct BufferTests {
    private let elements = [
        (105, 0), (205, 1), (210, 2), (240, 3), (280, 4), (320, 5), (350, 6), (370, 7), (420, 8), (470, 9),
    ].map { Recorded(time: $0.0, value: Event.next($0.1)) }

    private let gathered: [Recorded<Event<[Int]>>] = [
        .next(240, [1, 2, 3]), .next(310, [4]), .next(370, [5, 6, 7]), .next(440, [8]), .next(510, [9]), .next(580, []),
    ]

    @Test func timeOrCountTurnsOver() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements + [.completed(600)])
        let result = scheduler.start { source.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler) }
        #expect(result.events == gathered + [.next(600, []), .completed(600)])
        #expect(source.subscriptions == [Subscription(200, 600)])
    }

    @Test func errorDropsWhatHasBeenGathered() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements + [.error(600, Failure.expected)])
        let result = scheduler.start { source.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler) }
        #expect(result.events == gathered + [.error(600, Failure.expected)])
    }

    @Test func disposeEndsTheTimers() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements + [.completed(600)])
        let result = scheduler.start(disposed: 370) {
            source.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler)
        }
        #expect(result.events == Array(gathered.prefix(3)))
        #expect(source.subscriptions == [Subscription(200, 370)])
    }

    @Test func theDecisionIgnoresTheTimerOfAFullArray() {
        var machine = BufferStateMachine<Int>(limit: 2)
        let answer1 = machine.accept(1)
        #expect(answer1 == nil)
        let answer2 = machine.accept(2)
        #expect(answer2 == [1, 2])
        let answer3 = machine.expire(0)
        #expect(answer3 == nil)
        let answer4 = machine.expire(1)
        #expect(answer4 == [])
        #expect(machine.generation == 2)
    }

    @Test func windowsTurnOverByTimeOrCount() {
        #expect(windows(.completed(600), disposed: 1000).events == windowed + [.completed(600)])
    }

    @Test func anErrorEndsWindowAndSequence() {
        let end = Recorded<Event<Int>>.error(600, Failure.expected)
        #expect(windows(end, disposed: 1000).events == windowed + [.error(600, Failure.expected)])
    }

    @Test func disposingEndsWindowsThatNobodyElseHolds() {
        #expect(windows(.completed(600), disposed: 370).events == Array(windowed.prefix(7)))
    }

    private let windowed: [Recorded<Event<String>>] = [
        .next(205, "0 1"), .next(210, "0 2"), .next(240, "0 3"), .next(280, "1 4"), .next(320, "2 5"),
        .next(350, "2 6"),
        .next(370, "2 7"), .next(420, "3 8"), .next(470, "4 9"),
    ]

    private func windows(_ end: Recorded<Event<Int>>, disposed: Int) -> TestableObserver<String> {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements + [end])
        let result = scheduler.start(disposed: disposed) { () -> Observable<String> in
            var index = -1
            return source.window(timeSpan: .seconds(70), count: 3, scheduler: scheduler).flatMap { window in
                index += 1
                let number = index
                return window.map { "\(number) \($0)" }
            }
        }
        #expect(source.subscriptions == [Subscription(200, min(disposed, 600))])
        return result
    }

    @Test func aWindowKeepsTheSourceAfterTheSubscriptionEnded() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements + [.completed(600)])
        let observer = scheduler.createObserver(Int.self)
        var outer: (any Disposable)?
        scheduler.scheduleAt(200) {
            outer = source.window(timeSpan: .seconds(100), count: 0, scheduler: scheduler)
                .subscribe(onNext: { _ = $0.subscribe(observer) })
        }
        scheduler.scheduleAt(230) { outer?.dispose() }
        scheduler.start()
        #expect(observer.events == [.next(205, 1), .next(210, 2), .next(240, 3), .next(280, 4), .completed(300)])
        #expect(source.subscriptions == [Subscription(200, 300)])
    }
}
