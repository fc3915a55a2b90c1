import RxSwift
import TestSupport
import Testing

@Suite struct SkipWhileTests {
    @Test func allElementsFollowTheFirstThatFails() {
        var calls = 0
        let source = sequence(1, 2, 1).skip(while: {
            calls += 1
            return $0 < 2
        })
        #expect(events(of: source) == ["2", "1", "completed"])
        #expect(calls == 2)
    }

    @Test func errorPasses() {
        #expect(events(of: sequence(1, error: .expected).skip(while: { _ in true })) == ["error(expected)"])
    }

    @Test func whatTheClosureThrowsIsTheError() {
        #expect(events(of: sequence(1, 2).skip(while: { _ in throw Failure.expected })) == ["error(expected)"])
    }

    @Test func nothingFollowsADisposeInTheClosure() {
        let subject = PublishSubject<Int>()
        let log = EventLog { dispose in
            subject.skip(while: { _ in
                dispose()
                return false
            })
        }
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.lines == [])
    }
}
