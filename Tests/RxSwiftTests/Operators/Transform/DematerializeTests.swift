import RxSwift
import TestSupport
import Testing

@Suite struct DematerializeTests {
    @Test func elementsBecomeEvents() {
        let source = sequence(Event.next(1), .next(2), .completed, .next(3))
        #expect(events(of: source.dematerialize()) == ["1", "2", "completed"])
        let failing = sequence(Event.next(1), .error(Failure.expected), .next(3))
        #expect(events(of: failing.dematerialize()) == ["1", "error(expected)"])
    }

    @Test func theSourcesOwnEndPasses() {
        #expect(events(of: sequence(Event.next(1)).dematerialize()) == ["1", "completed"])
        #expect(events(of: sequence(Event.next(1), error: .other).dematerialize()) == ["1", "error(other)"])
    }

    @Test func isTheInverseOfMaterialize() {
        #expect(
            events(of: sequence(1, 2, error: .expected).materialize().dematerialize()) == [
                "1", "2", "error(expected)",
            ])
    }
}
