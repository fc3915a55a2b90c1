import RxSwift
import Testing

@Suite struct FirstTests {
    @Test func firstElementOrNil() {
        #expect(events(of: sequence(1, 2).first().asObservable()) == ["next(Optional(1))", "completed"])
        #expect(events(of: Observable<Int>.empty().first().asObservable()) == ["next(nil)", "completed"])
        #expect(events(of: Observable<Int>.error(Failure.expected).first().asObservable()) == ["error(expected)"])
    }

    @Test func sourceIsLeftAtTheFirstElement() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.first().asObservable())
        subject.onNext(1)
        #expect(!subject.hasObservers && log.events == ["next(Optional(1))", "completed"])
    }
}
