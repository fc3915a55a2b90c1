// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// Plays interleavings of threads as sequences of decisions.
@Suite struct ShareStateMachineTests {
    private final class Connection {}

    @Test("Two first subscribers get one connection") func twoSubscribers() {
        var state = ShareStateMachine()
        let first = Connection()
        expect(state.join() == nil)
        state.connect(first)
        expect(state.join() === first)
        expect(state.leave(first) == nil)
        expect(state.connected(first) == nil)
        expect(state.leave(first) === first)
        expect(state.join() == nil)
    }

    @Test("A connection that all subscribers leave while it is made is abandoned") func leftInConnect() {
        var state = ShareStateMachine()
        let first = Connection()
        state.connect(first)
        expect(state.leave(first) == nil)
        expect(state.isUnwanted(first))
        expect(state.connected(first) === first)
        expect(state.join() == nil)
    }

    @Test("A connection whose subscribers are all abandoned is unwanted until another one joins") func abandoned() {
        var state = ShareStateMachine()
        let (first, other) = (Connection(), Connection())
        state.connect(first)
        expect(state.connected(first) == nil)
        expect(!state.isUnwanted(first))
        state.abandon(first)
        expect(state.isUnwanted(first) && !state.isUnwanted(other))
        expect(state.join() === first)
        expect(!state.isUnwanted(first))
        expect(state.leave(first) == nil)
        expect(state.isUnwanted(first))
        expect(state.leave(first, wasAbandoned: true) === first)
    }

    @Test("A subscriber that leaves an ended connection does not count for the next") func leavesEnded() {
        var state = ShareStateMachine()
        let old = Connection()
        let new = Connection()
        state.connect(old)
        expect(state.terminated(old) === old)
        state.connect(new)
        expect(state.connected(new) == nil)
        expect(state.leave(old) == nil)
        expect(state.terminated(old) == nil)
        expect(state.join() === new)
        expect(state.leave(new) == nil)
        expect(state.leave(new) === new)
    }
}
