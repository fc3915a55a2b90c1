import RxSwift
import TestSupport
import Testing

@Suite struct DeferredTests {
    @Test func factoryRunsPerSubscription() {
        var runs = 0
        let source = Observable<Int>.deferred {
            runs += 1
            return .just(runs)
        }
        #expect(runs == 0)
        #expect(events(of: source) == ["1", "completed"])
        #expect(events(of: source) == ["2", "completed"])
    }

    @Test func errorOfTheSequencePasses() {
        #expect(events(of: Observable<Int>.deferred { .error(Failure.expected) }) == ["error(expected)"])
    }

    @Test func whatTheFactoryThrowsIsTheError() {
        #expect(events(of: Observable<Int>.deferred { throw Failure.expected }) == ["error(expected)"])
        let materialized = Observable<Int>.deferred { throw Failure.expected }.materialize().take(1)
        #expect(events(of: materialized) == ["next(error(expected))", "completed"])
    }
}
