import RxSwift
import TestSupport
import Testing

/// The interleavings of threads, as sequences of decisions.
@Suite struct SharingStatesTests {
    final class Connection {}

    // MARK: ShareStateMachine

    @Test func twoFirstSubscribersGetOneConnection() {
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

    @Test func aConnectionThatIsLeftWhileItIsBeingMadeIsAbandonedAfterwards() {
        var state = ShareStateMachine()
        let first = Connection()
        state.connect(first)
        expect(state.leave(first) == nil)
        expect(state.isUnwanted)
        expect(state.connected(first) === first)
        expect(state.join() == nil)
    }

    @Test func whoLeavesAnEndedConnectionDoesNotCountForTheNext() {
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

    // MARK: RefCountStateMachine

    @Test func leavingWhileConnectingGivesTheConnectionBack() {
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

    @Test func whoComesWhileConnectingKeepsTheConnection() {
        var state = RefCountStateMachine()
        var a = RefCountStateMachine.Membership.pending
        var b = a
        let generation = state.joinAlone(&a)!
        expect(!state.leave(&a))
        expect(state.joinAlone(&b) == nil)
        expect(state.connected(generation))
        expect(state.leave(&b))
    }

    @Test func aSubscriberThatHasLeftBeforeItWasCountedConnectsAndIsNotCounted() {
        var state = RefCountStateMachine()
        var a = RefCountStateMachine.Membership.pending
        expect(!state.leave(&a))
        let generation = state.joinAlone(&a)
        expect(generation != nil && state.isUnwanted)
        expect(!state.connected(generation!))
        var b = RefCountStateMachine.Membership.pending
        expect(state.joinAlone(&b) != nil)
    }

    @Test func anEndDuringConnectingMakesTheConnectionUnwanted() {
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

    @Test func theEndOfAFormerConnectionLeavesTheNextAlone() {
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

    @Test func whoLeavesWhileAnotherJoinsDoesNotDisconnect() {
        var state = RefCountStateMachine()
        var a = RefCountStateMachine.Membership.pending
        var b = a
        expect(state.connected(state.joinAlone(&a)!))
        state.beginJoining()
        expect(!state.leave(&a))
        expect(state.join(&b) == .none)
        expect(state.leave(&b))
    }

    @Test func aNewcomerThatLeavesBehindTheLastSubscriberDisconnects() {
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

    // MARK: ConnectionStateMachine

    @Test func theFirstSubjectWins() {
        var state = ConnectionStateMachine<String>()
        expect(state.subject == nil)
        expect(state.adopt("first") == ("first", 1))
        expect(state.adopt("second") == ("first", 1))
    }

    @Test func aCandidateMadeForAFormerSubjectIsStale() {
        var state = ConnectionStateMachine<String>()
        let first = Connection()
        let second = Connection()
        let generation = state.adopt("first").generation
        guard case .connected = state.connect(first, generation: generation) else { return expect(false) }
        guard case .existing(let existing) = state.connect(second, generation: generation) else { return expect(false) }
        expect(existing === first)
        expect(state.end(second) == nil)
        expect(state.end(first) == "first")
        expect(state.end(first) == nil)
        guard case .stale = state.connect(second, generation: generation) else { return expect(false) }
        let next = state.adopt("second").generation
        guard case .stale = state.connect(second, generation: generation) else { return expect(false) }
        guard case .connected = state.connect(second, generation: next) else { return expect(false) }
    }
}

/// `#expect` takes its expression apart, which mutating calls do not survive.
private func expect(_ holds: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(holds, sourceLocation: sourceLocation)
}

extension RefCountStateMachine {
    /// Joins while no other subscriber does. Returns the generation to connect.
    fileprivate mutating func joinAlone(_ member: inout Membership) -> Int? {
        beginJoining()
        guard case .connect(let generation) = join(&member) else { return nil }
        return generation
    }
}
