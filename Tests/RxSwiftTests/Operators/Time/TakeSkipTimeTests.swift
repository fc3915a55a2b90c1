import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct TakeSkipTimeTests {
    private let elements = [(150, 1), (210, 2), (220, 3), (230, 4)].map {
        Recorded(time: $0.0, value: Event.next($0.1))
    }

    @Test func takeForEndsInTime() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements + [.completed(240)])
        let result = scheduler.start { source.take(for: .seconds(25), scheduler: scheduler) }
        #expect(result.events == [.next(210, 2), .next(220, 3), .completed(225)])
        #expect(source.subscriptions == [Subscription(200, 225)])
    }

    @Test func takeForOfNothingTakesATick() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements)
        let result = scheduler.start { source.take(for: .seconds(0), scheduler: scheduler) }
        #expect(result.events == [.completed(201)])
        #expect(source.subscriptions == [Subscription(200, 201)])
    }

    @Test func takeForPassesAnErrorInTime() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable([.next(150, 1), .error(210, Failure.expected)])
        let result = scheduler.start { source.take(for: .seconds(50), scheduler: scheduler) }
        #expect(result.events == [.error(210, Failure.expected)])
    }

    @Test func takeForPassesAnEarlierCompletion() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements + [.completed(240)])
        let result = scheduler.start { source.take(for: .seconds(50), scheduler: scheduler) }
        #expect(result.events == [.next(210, 2), .next(220, 3), .next(230, 4), .completed(240)])
        #expect(source.subscriptions == [Subscription(200, 240)])
    }

    @Test func skipDropsWhatComesEarly() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements + [.completed(240)])
        let result = scheduler.start { source.skip(.seconds(15), scheduler: scheduler) }
        #expect(result.events == [.next(220, 3), .next(230, 4), .completed(240)])
        #expect(source.subscriptions == [Subscription(200, 240)])
    }

    @Test func skipOfNothingTakesATick() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements + [.completed(240)])
        let result = scheduler.start { source.skip(.seconds(0), scheduler: scheduler) }
        #expect(result.events == [.next(210, 2), .next(220, 3), .next(230, 4), .completed(240)])
    }

    @Test func skipPassesTerminalEventsAnyTime() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable([.next(150, 1), .error(210, Failure.expected)])
        let result = scheduler.start { source.skip(.seconds(50), scheduler: scheduler) }
        #expect(result.events == [.error(210, Failure.expected)])
        #expect(source.subscriptions == [Subscription(200, 210)])
    }
}
