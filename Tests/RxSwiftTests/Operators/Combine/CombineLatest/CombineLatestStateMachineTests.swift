import RxSwift
import Testing

@Suite struct CombineLatestStateMachineTests {
    @Test("Combinations are sent as soon as each source has sent an element") func allSent() {
        var machine = CombineLatestStateMachine(sources: 2)
        #expect(machine.received(first: true) == .wait)
        #expect(machine.received(first: false) == .wait)
        #expect(machine.received(first: true) == .emit)
        #expect(machine.received(first: false) == .emit)
    }

    @Test("A source that has completed takes part with its last element") func endedSource() {
        var machine = CombineLatestStateMachine(sources: 2)
        #expect(machine.received(first: true) == .wait)
        #expect(machine.sourceCompleted() == .wait)
        #expect(machine.received(first: true) == .emit)
        #expect(machine.sourceCompleted() == .complete)
    }

    @Test("The result completes at an element that no combination can follow") func emptySource() {
        var machine = CombineLatestStateMachine(sources: 2)
        #expect(machine.sourceCompleted() == .wait)
        #expect(machine.received(first: true) == .complete)
    }
}
