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
        expect(state.join(&b, subject: 1) == .none)
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
        expect(state.join(&b, subject: 1) == .disconnect)
        state.beginJoining()
        expect(state.joinNothing() == .none)
    }

    @Test("A subscriber at a newer subject connects, though nobody was told of the end") func newerSubject() {
        var state = RefCountStateMachine()
        var a = RefCountStateMachine.Membership.pending
        var b = a
        expect(state.connected(state.joinAlone(&a)!))
        let second = state.joinAlone(&b, subject: 2)
        expect(second != nil)
        expect(!state.terminated(&a))
        expect(state.connected(second!))
        expect(state.leave(&b))
    }

    @Test("A subscriber that was told of the end at once makes nobody connect") func endedAtNewerSubject() {
        var state = RefCountStateMachine()
        var a = RefCountStateMachine.Membership.pending
        var b = a
        expect(state.connected(state.joinAlone(&a)!))
        state.beginJoining()
        expect(!state.terminated(&b))
        expect(state.join(&b, subject: 2) == .none)
        expect(state.terminated(&a))
    }

    @Test("A subscriber at a subject out of use belongs to no connection") func olderSubject() {
        var state = RefCountStateMachine()
        var a = RefCountStateMachine.Membership.pending
        var b = a
        state.beginJoining()
        expect(state.connected(state.joinAlone(&b, subject: 2)!))
        expect(state.join(&a, subject: 1) == .none)
        expect(!state.terminated(&a))
        expect(state.leave(&b))
    }

    @Test("A connection that was not made, as its subject is out of use, is nobody's") func notConnected() {
        var state = RefCountStateMachine()
        var a = RefCountStateMachine.Membership.pending
        var b = a
        let first = state.joinAlone(&a)!
        state.notConnected(first)
        let second = state.joinAlone(&b, subject: 2)
        expect(second != nil)
        state.notConnected(first)
        expect(!state.terminated(&a))
        expect(state.connected(second!))
    }
}

extension RefCountStateMachine {
    /// Joins while no other subscriber joins, and returns the generation to connect.
    fileprivate mutating func joinAlone(_ member: inout Membership, subject: Int = 1) -> Int? {
        beginJoining()
        guard case .connect(let generation) = join(&member, subject: subject) else { return nil }
        return generation
    }
}
