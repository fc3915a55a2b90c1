import RxSwift
import TestSupport
import Testing

@Suite struct AsSingleTests {
    @Test func theOnlyElementComesAtTheEnd() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.asSingle().asObservable())
        subject.onNext(1)
        #expect(log.lines == [])
        subject.onCompleted()
        #expect(log.lines == ["1", "completed"])
    }

    @Test func otherNumbersAreErrors() {
        #expect(events(of: sequence(1, 2, 3).asSingle().asObservable()) == ["error(\(RxError.moreThanOneElement))"])
        #expect(events(of: Observable<Int>.empty().asSingle().asObservable()) == ["error(\(RxError.noElements))"])
        #expect(events(of: sequence(1, error: .expected).asSingle().asObservable()) == ["error(expected)"])
    }
}
