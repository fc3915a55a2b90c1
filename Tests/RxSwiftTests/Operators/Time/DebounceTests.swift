import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct DebounceTests {
    @Test func silenceLetsAnElementThrough() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(
            script((150, 1), (210, 2), (240, 3), (300, 4), (340, 5)) + [.completed(400)])
        let result = scheduler.start { source.debounce(.seconds(50), scheduler: scheduler) }
        #expect(result.events == [.next(290, 3), .next(390, 5), .completed(400)])
        #expect(source.subscriptions == [Subscription(200, 400)])
    }

    @Test func completionSendsTheElementThatWaits() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(
            script((150, 1), (210, 2), (250, 3), (310, 4), (350, 5)) + [.completed(390)])
        let result = scheduler.start { source.debounce(.seconds(50), scheduler: scheduler) }
        #expect(result.events == [.next(300, 3), .next(390, 5), .completed(390)])
    }

    @Test func errorDropsTheElementThatWaits() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(
            script((150, 1), (210, 2), (250, 3)) + [.error(260, Failure.expected), .completed(400)])
        let result = scheduler.start { source.debounce(.seconds(50), scheduler: scheduler) }
        #expect(result.events == [.error(260, Failure.expected)])
        #expect(source.subscriptions == [Subscription(200, 260)])
    }

    @Test func nothingComesAfterDispose() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(script((210, 2), (250, 3)))
        let result = scheduler.start(disposed: 275) { source.debounce(.seconds(30), scheduler: scheduler) }
        #expect(result.events == [.next(240, 2)])
        #expect(source.subscriptions == [Subscription(200, 275)])
    }

    @Test func aLateTimerSendsNothing() {
        var machine = DebounceStateMachine()
        let first = machine.accept()
        let second = machine.accept()
        let answer1 = machine.expire(first)
        #expect(!answer1)
        let answer2 = machine.expire(second)
        #expect(answer2)
        let answer3 = machine.expire(second)
        #expect(!answer3)
        let answer4 = machine.end()
        #expect(!answer4)
    }

    @Test func anElementDeliveredIsNotSentAgainAtTheEnd() {
        var machine = DebounceStateMachine()
        let generation = machine.accept()
        let answer5 = machine.end()
        #expect(answer5)
        let answer6 = machine.expire(generation)
        #expect(!answer6)
    }

    @Test func anElementThatIsDisplacedOrDroppedIsReleased() {
        let scheduler = ticks()
        let source = PublishSubject<ReleaseToken>()
        let subscription = source.debounce(.seconds(30), scheduler: scheduler).subscribe()
        weak var first: ReleaseToken?
        weak var second: ReleaseToken?
        do {
            let tokens = [ReleaseToken(), ReleaseToken()]
            first = tokens[0]
            second = tokens[1]
            for token in tokens { source.onNext(token) }
        }
        #expect(first == nil)
        #expect(second != nil)
        subscription.dispose()
        #expect(second == nil)
    }
}
