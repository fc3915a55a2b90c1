import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct SubscribeOnTests {
    @Test func subscribesAndUnsubscribesATickLater() {
        let scheduler = ticks()
        var subscribed = 0
        var disposed = 0
        let source = Observable<Int>.create { _ in
            subscribed = scheduler.clock
            return Disposables.create { disposed = scheduler.clock }
        }
        let result = scheduler.start { source.subscribe(on: scheduler) }
        #expect(result.events == [])
        #expect(subscribed == 201)
        #expect(disposed == 1001)
    }

    @Test func terminalEventsPassAtOnce() {
        for end: Recorded<Event<Int>> in [.completed(300), .error(300, Failure.expected)] {
            let scheduler = ticks()
            let source = scheduler.createHotObservable([end])
            let result = scheduler.start { source.subscribe(on: scheduler) }
            #expect(result.events == [end])
            #expect(source.subscriptions == [Subscription(201, 301)])
        }
    }

    @Test func disposeUnsubscribesATickLater() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(script((150, 1), (210, 2)))
        let result = scheduler.start { source.subscribe(on: scheduler) }
        #expect(result.events == [.next(210, 2)])
        #expect(source.subscriptions == [Subscription(201, 1001)])
    }

    @Test func disposedBeforeItsTurnItDoesNotSubscribe() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(script((250, 1)))
        _ = scheduler.start(disposed: 200) { source.subscribe(on: scheduler) }
        #expect(source.subscriptions == [])
    }

    @Test func aSourceThatHasEndedIsLetGoOfWithoutAJob() {
        let log = EventLog()
        let scheduler = HistoricalScheduler()
        let subject = PublishSubject<Int>()
        _ = log.observe(subject.do(onDispose: { log.note("dispose") }).subscribe(on: scheduler))
        scheduler.start()
        subject.onCompleted()
        #expect(log.text == "completed dispose")
    }
}
