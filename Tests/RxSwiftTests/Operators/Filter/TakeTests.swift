import RxSwift
import TestSupport
import Testing

@Suite struct TakeTests {
    @Test func completesWithTheLastElement() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.take(2))
        subject.onNext(1)
        #expect(subject.hasObservers)
        subject.onNext(2)
        #expect(!subject.hasObservers)
        subject.onNext(3)
        #expect(log.lines == ["1", "2", "completed"])
    }

    @Test func zeroCompletesWithoutASubscription() {
        var subscriptions = 0
        let source = Observable<Int>.deferred {
            subscriptions += 1
            return .never()
        }
        #expect(events(of: source.take(0)) == ["completed"])
        #expect(subscriptions == 0)
    }

    @Test func earlierEndPasses() {
        #expect(events(of: sequence(1).take(2)) == ["1", "completed"])
        #expect(events(of: sequence(1, error: .expected).take(2)) == ["1", "error(expected)"])
    }

    @Test func synchronousSourceIsCutOff() {
        #expect(events(of: sequence(1, 2, 3, error: .expected).take(2)) == ["1", "2", "completed"])
    }

    @Test func disposeAtTheLastElementDropsTheCompletion() {
        let subject = PublishSubject<Int>()
        let log = EventLog { dispose in subject.take(1).do(afterNext: { _ in dispose() }) }
        subject.onNext(1)
        #expect(log.lines == ["1"])
    }

    @Test func emittingFromTheCallbackDoesNotExceedTheCount() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.take(2).do(onNext: { subject.onNext($0 + 1) }))
        subject.onNext(1)
        #expect(log.lines == ["1", "2", "completed"])
    }
}
