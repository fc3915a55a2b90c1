// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct DeferredTests {
    @Test("The factory runs for each subscription") func factory() {
        var runs = 0
        let source = Observable<Int>.deferred {
            runs += 1
            return .just(runs)
        }
        #expect(runs == 0)
        #expect(events(of: source) == ["1", "completed"])
        #expect(events(of: source) == ["2", "completed"])
    }

    @Test("An error of the made sequence comes through") func error() {
        #expect(events(of: Observable<Int>.deferred { .error(Failure.expected) }) == ["error(expected)"])
    }

    @Test("An error of the factory ends the result") func factoryThrows() {
        #expect(events(of: Observable<Int>.deferred { throw Failure.expected }) == ["error(expected)"])
        let materialized = Observable<Int>.deferred { throw Failure.expected }.materialize().take(1)
        #expect(events(of: materialized) == ["next(error(expected))", "completed"])
    }
}
