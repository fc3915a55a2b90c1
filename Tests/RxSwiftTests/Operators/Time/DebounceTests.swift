// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct DebounceTests {
    @Test("An element that no other follows for 50 ticks comes through") func silence() throws {
        try expectMarbles(
            source: "1----^2--3-----4---5-----|",
            result: "     ^--------3---------5|",
            active: "     ^-------------------!"
        ) { $0.debounce(.seconds(50), scheduler: $1) }
    }

    @Test("Completion sends the waiting element") func completion() throws {
        try expectMarbles(
            source: "1----^2---3-----4---5---|",
            result: "     ^---------3--------(5|)"
        ) { $0.debounce(.seconds(50), scheduler: $1) }
    }

    @Test("An error drops the waiting element") func error() throws {
        try expectMarbles(
            source: "1----^2---3#",
            result: "     ^-----#",
            active: "     ^-----!"
        ) { $0.debounce(.seconds(50), scheduler: $1) }
    }

    @Test("Disposal at tick 275 drops the waiting element") func disposal() throws {
        try expectMarbles(
            source: "^-2-------3",
            result: "^-------2",
            active: "^--------------!",
            ticks: 5, disposed: 275
        ) { $0.debounce(.seconds(30), scheduler: $1) }
    }

    @Test("The timer of an element that another displaced sends nothing") func staleTimer() {
        var machine = DebounceStateMachine()
        let first = machine.accept()
        let second = machine.accept()
        let sends = [machine.expire(first), machine.expire(second), machine.expire(second), machine.end()]
        #expect(sends == [false, true, false, false])
    }

    @Test("The timer of an element that completion sent sends nothing") func timerAfterEnd() {
        var machine = DebounceStateMachine()
        let generation = machine.accept()
        let sends = [machine.end(), machine.expire(generation)]
        #expect(sends == [true, false])
    }

    @Test("A displaced or dropped element is released") func release() {
        let scheduler = ticks()
        let source = PublishSubject<ReleaseToken>()
        let subscription = source.debounce(.seconds(30), scheduler: scheduler).subscribe()
        weak var first: ReleaseToken?
        weak var second: ReleaseToken?
        do {
            let tokens = [ReleaseToken(), ReleaseToken()]
            first = tokens[0]
            second = tokens[1]
            for token in tokens { source.onNext(token) }
        }
        #expect(first == nil)
        #expect(second != nil)
        subscription.dispose()
        #expect(second == nil)
    }
}
