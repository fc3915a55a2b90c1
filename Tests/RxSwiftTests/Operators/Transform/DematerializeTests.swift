// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct DematerializeTests {
    @Test("Elements become events") func conversion() {
        let source = sequence(Event.next(1), .next(2), .completed, .next(3))
        #expect(events(of: source.dematerialize()) == ["1", "2", "completed"])
        let failing = sequence(Event.next(1), .error(Failure.expected), .next(3))
        #expect(events(of: failing.dematerialize()) == ["1", "error(expected)"])
    }

    @Test("The end of the source comes through") func sourceEnd() {
        #expect(events(of: sequence(Event.next(1)).dematerialize()) == ["1", "completed"])
        #expect(events(of: sequence(Event.next(1), error: .other).dematerialize()) == ["1", "error(other)"])
    }

    @Test("`dematerialize` reverses `materialize`") func inverse() {
        #expect(
            events(of: sequence(1, 2, error: .expected).materialize().dematerialize()) == [
                "1", "2", "error(expected)",
            ])
    }
}
