import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct ThrottleTests {
    private let elements = [(150, 1), (210, 2), (250, 3), (310, 4), (350, 5), (410, 6), (450, 7)].map {
        Recorded(time: $0.0, value: Event.next($0.1))
    }

    @Test func theLatestComesAtTheEndOfTheSpanAndCompletionWaitsForIt() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements + [.completed(500)])
        let result = scheduler.start { source.throttle(.seconds(200), scheduler: scheduler) }
        #expect(result.events == [.next(210, 2), .next(410, 6), .next(610, 7), .completed(610)])
        #expect(source.subscriptions == [Subscription(200, 500)])
    }

    @Test func completionAfterTheSpanIsNotDelayed() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements + [.completed(900)])
        let result = scheduler.start { source.throttle(.seconds(200), scheduler: scheduler) }
        #expect(result.events == [.next(210, 2), .next(410, 6), .next(610, 7), .completed(900)])
        #expect(source.subscriptions == [Subscription(200, 900)])
    }

    @Test func emptyCompletesAtOnce() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable([.next(150, 0), .completed(500)])
        let result = scheduler.start { source.throttle(.seconds(200), scheduler: scheduler) }
        #expect(result.events == [.completed(500)])
    }

    @Test func errorIsNotDelayed() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements.prefix(5) + [.error(410, Failure.expected)])
        let result = scheduler.start { source.throttle(.seconds(200), scheduler: scheduler) }
        #expect(result.events == [.next(210, 2), .error(410, Failure.expected)])
        #expect(source.subscriptions == [Subscription(200, 410)])
    }

    @Test func withoutAnEndTheLatestStillComes() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements)
        let result = scheduler.start { source.throttle(.seconds(200), scheduler: scheduler) }
        #expect(result.events == [.next(210, 2), .next(410, 6), .next(610, 7)])
        #expect(source.subscriptions == [Subscription(200, 1000)])
    }

    @Test func withoutLatestTheRestOfTheSpanIsDropped() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements + [.completed(500)])
        let result = scheduler.start { source.throttle(.seconds(200), latest: false, scheduler: scheduler) }
        #expect(result.events == [.next(210, 2), .next(410, 6), .completed(500)])
        #expect(source.subscriptions == [Subscription(200, 500)])
    }

    @Test func withoutLatestErrorPasses() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(elements.prefix(5) + [.error(410, Failure.expected)])
        let result = scheduler.start { source.throttle(.seconds(200), latest: false, scheduler: scheduler) }
        #expect(result.events == [.next(210, 2), .error(410, Failure.expected)])
    }

    @Test func theDecisionSetsOneTimerPerSpan() {
        var machine = ThrottleStateMachine(span: 10)
        let answer1 = machine.accept(at: 100)
        #expect(answer1 == .send(displaces: false))
        machine.sent(at: 101)
        let answer2 = machine.accept(at: 104)
        #expect(answer2 == .wait(generation: 1, rest: 7))
        let answer = machine.accept(at: 105)
        #expect(answer == .replace)
        let answer3 = machine.end()
        #expect(!answer3)
        #expect(machine.isCurrent(1))
        let answer4 = machine.takeWaiting()
        #expect(answer4)
        #expect(machine.hasEnded)
    }

    @Test func theDecisionSendsAtOnceWhenTheTimerIsLate() {
        var machine = ThrottleStateMachine(span: 10)
        let answer5 = machine.accept(at: 100)
        #expect(answer5 == .send(displaces: false))
        machine.sent(at: 100)
        let answer6 = machine.accept(at: 101)
        #expect(answer6 == .wait(generation: 1, rest: 9))
        let answer = machine.accept(at: 120)
        #expect(answer == .send(displaces: true))
        machine.sent(at: 120)
        let answer7 = machine.takeWaiting()
        #expect(!answer7)
    }
}
