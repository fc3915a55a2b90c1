// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct SwitchLatestStateMachineTests {
    @Test("Only the latest inner sequence is current") func latest() {
        let first = ReleaseToken()
        let second = ReleaseToken()
        var latest = SwitchLatestStateMachine<ReleaseToken>()
        var superseded = latest.supersede(by: first)
        #expect(superseded == nil && latest.isCurrent(first))
        superseded = latest.supersede(by: second)
        #expect(superseded === first)
        guard case .ignored = latest.innerEnded(first) else { return #expect(Bool(false)) }
        let ends = latest.outerEnded()
        #expect(!ends)
        guard case .last = latest.innerEnded(second) else { return #expect(Bool(false)) }
    }

    @Test("The outer completion ends the result while no inner sequence runs") func outerEnd() {
        let first = ReleaseToken()
        var latest = SwitchLatestStateMachine<ReleaseToken>()
        _ = latest.supersede(by: first)
        guard case .idle = latest.innerEnded(first) else { return #expect(Bool(false)) }
        let ends = latest.outerEnded()
        #expect(ends)
    }
}
