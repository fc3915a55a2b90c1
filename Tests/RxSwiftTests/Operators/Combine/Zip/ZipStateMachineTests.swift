import RxSwift
import Testing

@Suite struct ZipStateMachineTests {
    @Test("A tuple is sent when the last empty queue gets an element") func fullQueues() {
        var machine = ZipStateMachine(sources: 3, completesWhenOthersAreDone: false)
        #expect(machine.queued(first: true) == .wait)
        #expect(machine.queued(first: false) == .wait)
        #expect(machine.queued(first: true) == .wait)
        #expect(machine.queued(first: true) == .emit)
        machine.took(emptied: 2)
        #expect(machine.queued(first: true) == .wait)
        #expect(machine.queued(first: true) == .emit)
    }

    @Test("The result completes when all sources have completed") func completion() {
        var machine = ZipStateMachine(sources: 2, completesWhenOthersAreDone: false)
        #expect(machine.sourceCompleted() == .wait)
        #expect(machine.queued(first: true) == .wait)
        #expect(machine.sourceCompleted() == .complete)
    }

    @Test("The form for collections completes at an element that no other can match") func unmatched() {
        var machine = ZipStateMachine(sources: 2, completesWhenOthersAreDone: true)
        #expect(machine.sourceCompleted() == .wait)
        machine.exhausted()
        #expect(machine.discarded() == .complete)
    }
}
