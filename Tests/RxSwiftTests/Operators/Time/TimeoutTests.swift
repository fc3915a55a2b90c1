// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct TimeoutTests {
    @Test("A source without a silence of 30 ticks comes through") func lively() throws {
        try expectMarbles(
            source: "^-1--2--3-4-|",
            result: "^-1--2--3-4-|",
            active: "^-----------!",
            isCold: true, ticks: 5
        ) { $0.timeout(.seconds(30), scheduler: $1) }
    }

    @Test("An element after exactly 30 ticks of silence is in time") func justInTime() throws {
        try expectMarbles(
            source: "^12--34|",
            result: "^12--34|",
            isCold: true
        ) { $0.timeout(.seconds(30), scheduler: $1) }
    }

    @Test("A silence of 25 ticks fails") func silence() throws {
        try expectMarbles(
            source: "^-1-2-----3---|",
            result: "^-1-2----#",
            active: "^--------!",
            isCold: true, ticks: 5, error: RxError.timeout
        ) { $0.timeout(.seconds(25), scheduler: $1) }
    }

    @Test("Completion in time comes through") func completion() throws {
        try expectMarbles(
            source: "0^-|",
            result: " ^-|",
            active: " ^-!",
            ticks: 50
        ) { $0.timeout(.seconds(200), scheduler: $1) }
    }

    @Test("An error in time comes through") func error() throws {
        try expectMarbles(
            source: "0^-#",
            result: " ^-#",
            ticks: 50
        ) { $0.timeout(.seconds(200), scheduler: $1) }
    }

    @Test("The other sequence takes over after 100 ticks of silence") func other() throws {
        try expectMarbles(
            source: "1-----2------^---3------4-----------5------|",
            active: "             ^--------------------!",
            second: "                                  ^----7--------------8----------9|",
            during: "                                  ^-------------------------------!",
            result: "             ^---3------4--------------7--------------8----------9|",
            isCold: true
        ) { $0.timeout(.seconds(100), other: $1, scheduler: $2) }
    }

    @Test("Disposal ends the subscription to the other sequence") func otherDisposed() throws {
        try expectMarbles(
            source: "^-----|",
            active: "^-!",
            second: "  ^-7",
            during: "  ^-------------!",
            result: "^---7",
            isCold: true, ticks: 50
        ) { $0.timeout(.seconds(100), other: $1, scheduler: $2) }
    }

    @Test("An error of the other sequence comes through") func otherFails() throws {
        try expectMarbles(
            source: "^-----1",
            second: "  ^-#",
            during: "  ^-!",
            result: "^---#",
            isCold: true, ticks: 50
        ) { $0.timeout(.seconds(100), other: $1, scheduler: $2) }
    }

    @Test("A disposed subscription does not time out") func disposal() throws {
        try expectMarbles(
            source: "^1------3-------4-------5-----6---7",
            result: "^1------3-------4-------5-----6---7",
            active: "^---------------------------------!",
            ticks: 5, disposed: 370
        ) { $0.timeout(.seconds(40), scheduler: $1) }
    }
}
