// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct ThrottleTests {
    @Test("The latest element comes after 200 ticks, and completion waits for it") func latest() throws {
        try expectMarbles(
            source: "1----^2---3-----4---5-----6---7----|",
            result: "     ^2-------------------6-------------------(7|)",
            active: "     ^-----------------------------!"
        ) { $0.throttle(.seconds(200), scheduler: $1) }
    }

    @Test("Completion comes at once when no element waits") func lateCompletion() throws {
        try expectMarbles(
            source: "1----^2---3-----4---5-----6---7--------------------------------------------|",
            result: "     ^2-------------------6-------------------7----------------------------|",
            active: "     ^---------------------------------------------------------------------!"
        ) { $0.throttle(.seconds(200), scheduler: $1) }
    }

    @Test("An empty source completes at once") func empty() throws {
        try expectMarbles(
            source: "1----^-----------------------------|",
            result: "     ^-----------------------------|"
        ) { $0.throttle(.seconds(200), scheduler: $1) }
    }

    @Test("An error comes at once and drops the waiting element") func error() throws {
        try expectMarbles(
            source: "1----^2---3-----4---5-----#",
            result: "     ^2-------------------#",
            active: "     ^--------------------!"
        ) { $0.throttle(.seconds(200), scheduler: $1) }
    }

    @Test("The latest element comes though the source goes on") func endless() throws {
        try expectMarbles(
            source: "1----^2---3-----4---5-----6---7",
            result: "     ^2-------------------6-------------------7",
            active: "     ^-------------------------------------------------------------------------------!"
        ) { $0.throttle(.seconds(200), scheduler: $1) }
    }

    @Test("Without `latest` only the first element of 200 ticks comes through") func first() throws {
        try expectMarbles(
            source: "1----^2---3-----4---5-----6---7----|",
            result: "     ^2-------------------6--------|",
            active: "     ^-----------------------------!"
        ) { $0.throttle(.seconds(200), latest: false, scheduler: $1) }
    }

    @Test("Without `latest` an error comes at once") func firstError() throws {
        try expectMarbles(
            source: "1----^2---3-----4---5-----#",
            result: "     ^2-------------------#"
        ) { $0.throttle(.seconds(200), latest: false, scheduler: $1) }
    }

    @Test("The state machine sets one timer for each span") func timers() {
        var machine = ThrottleStateMachine(interval: 10)
        var decisions = [machine.accept(at: 100)]
        machine.sent(at: 101)
        decisions += [machine.accept(at: 104), machine.accept(at: 105)]
        #expect(decisions == [.send(displaces: false), .wait(generation: 1, rest: 7), .replace])
        let passesEnd = machine.end()
        #expect(!passesEnd)
        #expect(machine.isCurrent(1))
        let wasWaiting = machine.takeWaiting()
        #expect(wasWaiting)
        #expect(machine.hasEnded)
    }

    @Test("The state machine sends an element at once when the timer is late") func lateTimer() {
        var machine = ThrottleStateMachine(interval: 10)
        var decisions = [machine.accept(at: 100)]
        machine.sent(at: 100)
        decisions += [machine.accept(at: 101), machine.accept(at: 120)]
        #expect(decisions == [.send(displaces: false), .wait(generation: 1, rest: 9), .send(displaces: true)])
        machine.sent(at: 120)
        let wasWaiting = machine.takeWaiting()
        #expect(!wasWaiting)
    }
}
