import RxSwift
import TestSupport
import Testing

@Suite struct WithUnretainedTests {
    private final class Object {
        let id = 7
    }

    @Test func objectComesWithEachElement() {
        let object = Object()
        #expect(
            events(of: sequence(1, 2).withUnretained(object).map { $0.id + $1 }) == ["8", "9", "completed"])
        #expect(
            events(of: sequence(1, error: .expected).withUnretained(object) { $0.id + $1 }) == [
                "8", "error(expected)",
            ])
    }

    @Test func completesWhenTheObjectIsGone() {
        var object: Object? = Object()
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.withUnretained(object!) { $0.id + $1 })
        subject.onNext(1)
        object = nil
        #expect(subject.hasObservers)
        subject.onNext(2)
        #expect(!subject.hasObservers && log.lines == ["8", "completed"])
    }
}
