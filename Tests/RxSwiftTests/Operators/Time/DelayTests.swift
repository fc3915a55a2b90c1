import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct DelayTests {
    private let elements = [(150, 1), (250, 2), (350, 3), (450, 4)].map {
        Recorded(time: $0.0, value: Event.next($0.1))
    }

    @Test(arguments: [42, 50, 100, 150])
    func everythingComesLaterByTheSpan(span: Int) {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements + [.completed(550)])
        let result = scheduler.start { source.delay(.seconds(span), scheduler: scheduler) }
        #expect(
            result.events == [
                .next(250 + span, 2), .next(350 + span, 3), .next(450 + span, 4), .completed(550 + span),
            ])
        #expect(source.subscriptions == [Subscription(200, 550)])
    }

    @Test func eventsOfOneTickTakeATickEach() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(script((210, 1), (210, 2), (210, 3)) + [.completed(210)])
        let result = scheduler.start { source.delay(.seconds(10), scheduler: scheduler) }
        #expect(result.events == [.next(220, 1), .next(221, 2), .next(222, 3), .completed(223)])
    }

    @Test func errorIsNotDelayedAndDropsWhatWaits() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements + [.error(550, Failure.expected)])
        let result = scheduler.start { source.delay(.seconds(150), scheduler: scheduler) }
        #expect(result.events == [.next(400, 2), .next(500, 3), .error(550, Failure.expected)])
        #expect(source.subscriptions == [Subscription(200, 550)])
    }

    @Test func completionIsDelayed() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable([.next(150, 1), .completed(250)])
        let result = scheduler.start { source.delay(.seconds(150), scheduler: scheduler) }
        #expect(result.events == [.completed(400)])
        #expect(source.subscriptions == [Subscription(200, 250)])
    }

    @Test func delaySubscriptionSubscribesLater() {
        let scheduler = ticks()
        let source = scheduler.createColdObservable(script((50, 42), (60, 43)) + [.completed(70)])
        let result = scheduler.start { source.delaySubscription(.seconds(30), scheduler: scheduler) }
        #expect(result.events == [.next(280, 42), .next(290, 43), .completed(300)])
        #expect(source.subscriptions == [Subscription(230, 300)])
    }

    @Test func delaySubscriptionPassesErrors() {
        let scheduler = ticks()
        let source = scheduler.createColdObservable(script((50, 42), (60, 43)) + [.error(70, Failure.expected)])
        let result = scheduler.start { source.delaySubscription(.seconds(30), scheduler: scheduler) }
        #expect(result.events == [.next(280, 42), .next(290, 43), .error(300, Failure.expected)])
        #expect(source.subscriptions == [Subscription(230, 300)])
    }

    @Test func delaySubscriptionCanBeDisposedBeforeAndAfter() {
        let scheduler = ticks()
        let source = scheduler.createColdObservable(script((50, 42), (60, 43)) + [.completed(70)])
        let result = scheduler.start(disposed: 291) { source.delaySubscription(.seconds(30), scheduler: scheduler) }
        #expect(result.events == [.next(280, 42), .next(290, 43)])
        #expect(source.subscriptions == [Subscription(230, 291)])
        let early = ticks()
        let never = early.createColdObservable(script((50, 42)))
        _ = early.start(disposed: 220) { never.delaySubscription(.seconds(30), scheduler: early) }
        #expect(never.subscriptions == [])
    }

    @Test func whatATimerSubscribesToIsCancelledAtOnce() {
        let log = EventLog()
        let scheduler = HistoricalScheduler()
        let source = Observable<Int>.of().startWith(3).do(onCompleted: { log.note("source completed") })
        let shared = source.multicast(PublishSubject<Int>()).refCount()
        for _ in 0..<2 { _ = log.observe(shared.delaySubscription(.seconds(1), scheduler: scheduler).take(1)) }
        scheduler.start()
        #expect(log.text == "3 completed 3 completed")
    }
}
