import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct TimeoutTests {
    @Test func aSourceInTimePasses() {
        let scheduler = ticks()
        let source = scheduler.createColdObservable(script((10, 42), (25, 43), (40, 44), (50, 45)) + [.completed(60)])
        let result = scheduler.start { source.timeout(.seconds(30), scheduler: scheduler) }
        #expect(result.events == [.next(210, 42), .next(225, 43), .next(240, 44), .next(250, 45), .completed(260)])
        #expect(source.subscriptions == [Subscription(200, 260)])
    }

    @Test func anElementJustInTimeWins() {
        let scheduler = ticks()
        let source = scheduler.createColdObservable(script((10, 42), (20, 43), (50, 44), (60, 45)) + [.completed(70)])
        let result = scheduler.start { source.timeout(.seconds(30), scheduler: scheduler) }
        #expect(result.events == [.next(210, 42), .next(220, 43), .next(250, 44), .next(260, 45), .completed(270)])
    }

    @Test func silenceFails() {
        let scheduler = ticks()
        let source = scheduler.createColdObservable(script((10, 42), (20, 43), (50, 44)) + [.completed(70)])
        let result = scheduler.start { source.timeout(.seconds(25), scheduler: scheduler) }
        #expect(result.events == [.next(210, 42), .next(220, 43), .error(245, RxError.timeout)])
        #expect(source.subscriptions == [Subscription(200, 245)])
    }

    @Test func terminalEventsInTimePass() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable([.next(150, 0), .completed(300)])
        let failing = scheduler.createHotObservable([.next(150, 0), .error(300, Failure.expected)])
        let result = scheduler.start { source.timeout(.seconds(200), scheduler: scheduler) }
        #expect(result.events == [.completed(300)])
        #expect(source.subscriptions == [Subscription(200, 300)])
        let again = ticks()
        let other = again.createHotObservable(failing.recordedEvents)
        #expect(
            again.start { other.timeout(.seconds(200), scheduler: again) }.events == [.error(300, Failure.expected)]
        )
    }

    @Test func anotherSequenceTakesOver() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(
            script((70, 1), (130, 2), (240, 3), (310, 4), (430, 5)) + [.completed(500)])
        let other = scheduler.createColdObservable(script((50, -1), (200, -2), (310, -3)) + [.completed(320)])
        let result = scheduler.start { source.timeout(.seconds(100), other: other, scheduler: scheduler) }
        #expect(
            result.events == [
                .next(240, 3), .next(310, 4), .next(460, -1), .next(610, -2), .next(720, -3), .completed(730),
            ])
        #expect(source.subscriptions == [Subscription(200, 410)])
        #expect(other.subscriptions == [Subscription(410, 730)])
    }

    @Test func theOtherSequenceIsDisposedWithTheSubscription() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable([Recorded<Event<Int>>.completed(500)])
        let other = scheduler.createColdObservable(script((100, -1)))
        let result = scheduler.start { source.timeout(.seconds(100), other: other, scheduler: scheduler) }
        #expect(result.events == [.next(400, -1)])
        #expect(source.subscriptions == [Subscription(200, 300)])
        #expect(other.subscriptions == [Subscription(300, 1000)])
    }

    @Test func theOtherSequenceMayFail() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(script((500, 42)))
        let other = scheduler.createColdObservable([Recorded<Event<Int>>.error(100, Failure.expected)])
        let result = scheduler.start { source.timeout(.seconds(100), other: other, scheduler: scheduler) }
        #expect(result.events == [.error(400, Failure.expected)])
        #expect(other.subscriptions == [Subscription(300, 400)])
    }

    @Test func aDisposedSubscriptionDoesNotTimeOut() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(script((205, 1), (240, 3), (280, 4), (320, 5), (350, 6), (370, 7)))
        let result = scheduler.start(disposed: 370) { source.timeout(.seconds(40), scheduler: scheduler) }
        #expect(
            result.events == [
                .next(205, 1), .next(240, 3), .next(280, 4), .next(320, 5), .next(350, 6), .next(370, 7),
            ])
        #expect(source.subscriptions == [Subscription(200, 370)])
    }
}
