// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct BufferTests {
    private let buffers: [Character: [Int]] = [
        "a": [1, 2, 3], "b": [4], "c": [5, 6, 7], "d": [8], "e": [9], "f": [],
    ]

    @Test("A buffer is sent when it holds 3 elements or after 70 ticks") func timeOrCount() throws {
        try expectMarbles(
            source: "0^12-----3-------4-------5-----6---7---------8---------9-------------------------|",
            result: " ^-------a-------------b-----------c-------------d-------------e-------------f---(f|)",
            active: " ^-------------------------------------------------------------------------------!",
            values: buffers, ticks: 5
        ) { $0.buffer(timeSpan: .seconds(70), count: 3, scheduler: $1) }
    }

    @Test("An error drops the elements of the open buffer") func error() throws {
        try expectMarbles(
            source: "0^12-----3-------4-------5-----6---7---------8---------9-------------------------#",
            result: " ^-------a-------------b-----------c-------------d-------------e-------------f---#",
            values: buffers, ticks: 5
        ) { $0.buffer(timeSpan: .seconds(70), count: 3, scheduler: $1) }
    }

    @Test("Disposal at tick 370 ends the timers") func disposal() throws {
        try expectMarbles(
            source: "0^12-----3-------4-------5-----6---7---------8---------9-------------------------|",
            result: " ^-------a-------------b-----------c",
            active: " ^---------------------------------!",
            values: buffers, ticks: 5, disposed: 370
        ) { $0.buffer(timeSpan: .seconds(70), count: 3, scheduler: $1) }
    }

    @Test("The timer of a buffer that became full sends nothing") func staleTimer() {
        var machine = BufferStateMachine<Int>(limit: 2)
        let sent = [machine.accept(1), machine.accept(2), machine.expire(0), machine.expire(1)]
        #expect(sent == [nil, [1, 2], nil, []])
        #expect(machine.generation == 2)
    }
}
