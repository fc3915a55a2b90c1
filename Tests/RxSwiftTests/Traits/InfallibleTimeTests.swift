import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct InfallibleTimeTests {
    private func run(
        _ build: (Infallible<Int>, TestScheduler) -> Infallible<Int>
    ) -> (events: [Recorded<Event<Int>>], subscriptions: [Subscription]) {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(script((210, 1), (220, 2), (280, 3)) + [.completed(400)])
        let infallible = build(Infallible(raw: source.asObservable()), scheduler)
        let result = scheduler.start { infallible }
        return (result.events, source.subscriptions)
    }

    @Test func debounceLetsThroughWhatNothingFollows() {
        let (events, subscriptions) = run { $0.debounce(.seconds(30), scheduler: $1) }
        #expect(events == script((250, 2), (310, 3)) + [.completed(400)])
        #expect(subscriptions == [Subscription(200, 400)])
    }

    @Test func throttleSendsTheFirstOfASpanAndTheLast() {
        #expect(
            run { $0.throttle(.seconds(30), scheduler: $1) }.events
                == script((210, 1), (240, 2), (280, 3)) + [.completed(400)])
        #expect(
            run { $0.throttle(.seconds(30), latest: false, scheduler: $1) }.events
                == script((210, 1), (280, 3)) + [.completed(400)])
    }

    @Test func takeForEndsWhenTheTimeIsUp() {
        let (events, subscriptions) = run { $0.take(for: .seconds(50), scheduler: $1) }
        #expect(events == script((210, 1), (220, 2)) + [.completed(250)])
        #expect(subscriptions == [Subscription(200, 250)])
    }

    @Test func sourcesTakeAStepPerEventOnTheirScheduler() {
        #expect(run { Infallible.just(7, scheduler: $1) }.events == script((201, 7)) + [.completed(202)])
        #expect(run { Infallible.of(7, 8, scheduler: $1) }.events == script((201, 7), (202, 8)) + [.completed(203)])
        #expect(
            run { Infallible.from([7, 8], scheduler: $1) }.events == script((201, 7), (202, 8)) + [.completed(203)])
    }

    @Test func nothingComesAfterDispose() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(script((210, 1), (220, 2), (230, 3)))
        let infallible = source.asInfallible(onErrorJustReturn: 0).map { $0 * 2 }
        let result = scheduler.start(disposed: 225) { infallible }
        #expect(result.events == script((210, 2), (220, 4)))
        #expect(source.subscriptions == [Subscription(200, 225)])
    }
}
