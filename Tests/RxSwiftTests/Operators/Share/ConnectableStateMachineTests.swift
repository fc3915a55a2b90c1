// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// Plays interleavings of threads as sequences of decisions.
@Suite struct ConnectableStateMachineTests {
    private final class Connection {}

    @Test("The first of two subjects is adopted") func firstSubject() {
        var state = ConnectableStateMachine<String>()
        expect(state.current == nil)
        expect(state.adopt("first") == ("first", 1))
        expect(state.adopt("second") == ("first", 1))
    }

    @Test("A connection made for a former subject is stale") func staleCandidate() {
        var state = ConnectableStateMachine<String>()
        let first = Connection()
        let second = Connection()
        let number = state.adopt("first").number
        guard case .connected = state.connect(first, ofSubject: number) else { return expect(false) }
        guard case .existing(let existing) = state.connect(second, ofSubject: number) else { return expect(false) }
        expect(existing === first)
        expect(state.end(second) == nil)
        expect(state.end(first) == "first")
        expect(state.end(first) == nil)
        guard case .stale = state.connect(second, ofSubject: number) else { return expect(false) }
        let next = state.adopt("second").number
        guard case .stale = state.connect(second, ofSubject: number) else { return expect(false) }
        guard case .connected = state.connect(second, ofSubject: next) else { return expect(false) }
    }
}
