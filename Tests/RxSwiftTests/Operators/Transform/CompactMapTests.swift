import RxSwift
import TestSupport
import Testing

@Suite struct CompactMapTests {
    @Test func nilIsDropped() {
        #expect(events(of: sequence("1", "a", "3").compactMap { Int($0) }) == ["1", "3", "completed"])
    }

    @Test func errorPasses() {
        #expect(events(of: sequence("1", error: .expected).compactMap { Int($0) }) == ["1", "error(expected)"])
    }

    @Test func whatTheClosureThrowsIsTheError() {
        let source = sequence(1, 2, 3).compactMap { element throws -> Int? in
            if element == 2 { throw Failure.expected }
            return element
        }
        #expect(events(of: source) == ["1", "error(expected)"])
    }

    @Test func nothingFollowsADisposeInTheClosure() {
        let subject = PublishSubject<Int>()
        let log = EventLog { dispose in
            subject.compactMap { element -> Int? in
                if element == 2 { dispose() }
                return element
            }
        }
        for element in 1...3 { subject.onNext(element) }
        #expect(log.lines == ["1"])
    }
}
