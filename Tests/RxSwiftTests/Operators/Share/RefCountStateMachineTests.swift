// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// Plays interleavings of threads as sequences of decisions.
@Suite struct RefCountStateMachineTests {
    @Test("A connection that all subscribers leave while it is made is given up") func leftInConnect() {
        var state = RefCountStateMachine()
        var a = RefCountStateMachine.Membership.pending
        var b = a
        expect(state.joinAlone(&a) == 0)
        expect(!state.leave(&a))
        expect(!state.leave(&a))
        expect(!state.connected(0))
        expect(state.joinAlone(&b) == 1)
        expect(state.connected(1))
        expect(state.leave(&b))
    }

    @Test("A subscriber that joins while the connection is made keeps it") func joinsInConnect() {
        var state = RefCountStateMachine()
        var a = RefCountStateMachine.Membership.pending
        var b = a
        let generation = state.joinAlone(&a)!
        expect(!state.leave(&a))
        expect(state.joinAlone(&b) == nil)
        expect(state.connected(generation))
        expect(state.leave(&b))
    }

    @Test("A subscriber that leaves before it is counted connects and does not count") func leftBeforeCount() {
        var state = RefCountStateMachine()
        var a = RefCountStateMachine.Membership.pending
        expect(!state.leave(&a))
        let generation = state.joinAlone(&a)
        expect(generation != nil && state.isUnwanted)
        expect(!state.connected(generation!))
        var b = RefCountStateMachine.Membership.pending
        expect(state.joinAlone(&b) != nil)
    }

    @Test("A connection that ends while it is made is unwanted") func endsInConnect() {
        var state = RefCountStateMachine()
        var a = RefCountStateMachine.Membership.pending
        var b = a
        let first = state.joinAlone(&a)!
        expect(!state.terminated(&a))
        let second = state.joinAlone(&b)
        expect(second != nil && second != first)
        expect(!state.connected(first))
        expect(state.connected(second!))
    }

    @Test("The end of a former connection does not affect the next one") func formerEnd() {
        var state = RefCountStateMachine()
        var a = RefCountStateMachine.Membership.pending
        var b = a
        var c = a
        expect(state.connected(state.joinAlone(&a)!))
        _ = state.joinAlone(&b)
        expect(state.terminated(&a))
        expect(state.connected(state.joinAlone(&c)!))
        expect(!state.terminated(&b))
        expect(!state.leave(&b))
        expect(state.leave(&c))
    }

    @Test("A subscriber that leaves while another joins does not disconnect") func leavesAtJoin() {
        var state = RefCountStateMachine()
        var a = RefCountStateMachine.Membership.pending
        var b = a
        expect(state.connected(state.joinAlone(&a)!))
        state.beginJoining()
        expect(!state.leave(&a))
        expect(state.join(&b) == .none)
        expect(state.leave(&b))
    }

    @Test("A late subscriber that leaves after the last subscriber disconnects") func lastLateSubscriber() {
        var state = RefCountStateMachine()
        var a = RefCountStateMachine.Membership.pending
        var b = a
        expect(state.connected(state.joinAlone(&a)!))
        state.beginJoining()
        expect(!state.leave(&a))
        expect(!state.leave(&b))
        expect(state.join(&b) == .disconnect)
        state.beginJoining()
        expect(state.joinNothing() == .none)
    }
}

extension RefCountStateMachine {
    /// Joins while no other subscriber joins, and returns the generation to connect.
    fileprivate mutating func joinAlone(_ member: inout Membership) -> Int? {
        beginJoining()
        guard case .connect(let generation) = join(&member) else { return nil }
        return generation
    }
}
