// SPDX-License-Identifier: Apache-2.0

import RxSwift
import Testing

@Suite struct CombinationStateMachineTests {
    // MARK: zip, which takes the elements

    @Test("A tuple is sent when the last empty queue gets an element") func fullQueues() {
        var machine = CombinationStateMachine(sources: 3, completesWhenOthersAreDone: false)
        #expect(machine.received(first: true) == .wait)
        #expect(machine.received(first: false) == .wait)
        #expect(machine.received(first: true) == .wait)
        #expect(machine.received(first: true) == .emit)
        machine.took(emptied: 2)
        #expect(machine.received(first: true) == .wait)
        #expect(machine.received(first: true) == .emit)
    }

    @Test("The result completes when all sources have completed") func completion() {
        var machine = CombinationStateMachine(sources: 2, completesWhenOthersAreDone: false)
        #expect(machine.sourceCompleted() == .wait)
        #expect(machine.received(first: true) == .wait)
        #expect(machine.sourceCompleted() == .complete)
    }

    @Test("The form for collections completes at an element that no other can match") func unmatched() {
        var machine = CombinationStateMachine(sources: 2, completesWhenOthersAreDone: true)
        #expect(machine.sourceCompleted() == .wait)
        machine.exhausted()
        #expect(machine.discarded() == .complete)
    }

    // MARK: combineLatest, which keeps them

    @Test("Combinations are sent as soon as each source has sent an element") func allSent() {
        var machine = CombinationStateMachine(sources: 2, completesWhenOthersAreDone: true)
        #expect(machine.received(first: true) == .wait)
        #expect(machine.received(first: false) == .wait)
        #expect(machine.received(first: true) == .emit)
        #expect(machine.received(first: false) == .emit)
    }

    @Test("A source that has completed takes part with its last element") func endedSource() {
        var machine = CombinationStateMachine(sources: 2, completesWhenOthersAreDone: true)
        #expect(machine.received(first: true) == .wait)
        #expect(machine.sourceCompleted() == .wait)
        #expect(machine.received(first: true) == .emit)
        #expect(machine.sourceCompleted() == .complete)
    }

    @Test("The result completes at an element that no combination can follow") func sourceWithoutElement() {
        var machine = CombinationStateMachine(sources: 2, completesWhenOthersAreDone: true)
        #expect(machine.sourceCompleted() == .wait)
        #expect(machine.received(first: true) == .complete)
    }
}
