// SPDX-License-Identifier: Apache-2.0

import RxIOUring
import Testing

@Suite struct StallStateMachineTests {
    private typealias Action = StallStateMachine.Action

    private static func turn(_ start: UInt64, _ elapsed: UInt64, ended: UInt = 0, last: (UInt64, UInt64) = (0, 0))
        -> TurnReading
    {
        var reading = TurnReading()
        (reading.turnStart, reading.elapsed, reading.endedStalls) = (start, elapsed, ended)
        (reading.lastStallStart, reading.lastStallTicks) = last
        return reading
    }

    @Test("A turn is reported once while it lasts, and again at its end") func lasting() {
        var state = StallStateMachine(limit: 100)
        #expect(state.look(at: Self.turn(7, 100)) == .none)
        #expect(state.look(at: Self.turn(7, 101)) == .reportLasting(start: 7, ticks: 101))
        #expect(state.look(at: Self.turn(7, 900)) == .none)
        #expect(state.look(at: Self.turn(0, 0, ended: 1, last: (7, 950))) == .reportEnd(ticks: 950, wasReported: true))
        #expect(state.look(at: Self.turn(0, 0, ended: 1, last: (7, 950))) == .none)
    }

    @Test("A turn that ends between two looks is reported at its end") func unseen() {
        var state = StallStateMachine(limit: 100)
        #expect(state.look(at: Self.turn(9, 5, ended: 1, last: (7, 110))) == .reportEnd(ticks: 110, wasReported: false))
        #expect(state.look(at: Self.turn(9, 50, ended: 1, last: (7, 110))) == .none)
    }

    @Test("A stall right behind another is reported") func twoStalls() {
        var state = StallStateMachine(limit: 100)
        #expect(state.look(at: Self.turn(7, 200)) == .reportLasting(start: 7, ticks: 200))
        #expect(
            state.look(at: Self.turn(500, 150, ended: 1, last: (7, 493))) == .reportEnd(ticks: 493, wasReported: true))
        #expect(
            state.look(at: Self.turn(500, 175, ended: 1, last: (7, 493))) == .reportLasting(start: 500, ticks: 175))
    }

    @Test("Of several stalls that end between two looks the last is reported, not as the one before") func lostEnd() {
        var state = StallStateMachine(limit: 100)
        #expect(state.look(at: Self.turn(7, 200)) == .reportLasting(start: 7, ticks: 200))
        #expect(
            state.look(at: Self.turn(0, 0, ended: 3, last: (900, 130))) == .reportEnd(ticks: 130, wasReported: false))
        #expect(state.look(at: Self.turn(0, 0, ended: 3, last: (900, 130))) == .none)
    }

    @Test("A loop that sleeps, or begins a turn, is not reported", arguments: [0, 7] as [UInt64])
    func quiet(_ start: UInt64) {
        var state = StallStateMachine(limit: 100)
        for _ in 0..<3 { #expect(state.look(at: Self.turn(start, 0)) == .none) }
    }
}
