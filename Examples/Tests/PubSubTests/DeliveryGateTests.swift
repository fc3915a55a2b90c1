// SPDX-License-Identifier: Apache-2.0

import PubSub
import Testing

struct DeliveryGateTests {
    private var gate = DeliveryGate(room: 100, mostDropped: 3)

    @Test mutating func passesWhatFits() {
        #expect(gate.offer(60, queued: 40) == .send)
        #expect(gate.offer(61, queued: 40) == .drop(beginsGap: true))
    }

    @Test mutating func passesALargeMessageWhenNothingWaits() {
        #expect(gate.offer(1_000, queued: 0) == .send)
    }

    @Test mutating func dropsEverythingUntilTheClientWasTold() {
        #expect(gate.offer(10, queued: 95) == .drop(beginsGap: true))
        #expect(gate.offer(10, queued: 0) == .drop(beginsGap: false))
        #expect(gate.dropped == 2)
        let isOver = gate.told(2)
        #expect(isOver)
        #expect(gate.offer(10, queued: 0) == .send)
    }

    @Test mutating func whatIsDroppedWhileTheClientIsToldIsToldNext() {
        _ = gate.offer(10, queued: 95)
        _ = gate.offer(10, queued: 95)
        let isOverEarly = gate.told(1)
        #expect(!isOverEarly)
        #expect(gate.dropped == 1)
        let isOver = gate.told(1)
        #expect(isOver)
    }

    @Test mutating func aRefusedMessageBeginsAGap() {
        #expect(gate.offer(10, queued: 0) == .send)
        #expect(gate.rejected() == .drop(beginsGap: true))
        #expect(gate.offer(10, queued: 0) == .drop(beginsGap: false))
    }

    @Test mutating func disconnectsWhoMissesTooMuch() {
        for _ in 1...3 { #expect(gate.offer(101, queued: 1) != .disconnect) }
        #expect(gate.offer(101, queued: 1) == .disconnect)
        #expect(gate.offer(101, queued: 1) == .drop(beginsGap: false))
    }
}
