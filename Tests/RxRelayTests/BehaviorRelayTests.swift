// SPDX-License-Identifier: Apache-2.0

import RxRelay
import RxSwift
import TestSupport
import Testing

@Suite struct BehaviorRelayTests {
    @Test("A late subscriber receives the value at once") func lateSubscriber() {
        let relay = BehaviorRelay(value: 0)
        let log = EventLog()
        _ = log.observe(relay.asObservable(), "a ")
        relay.accept(1)
        _ = log.observe(relay.asObservable(), "b ")
        #expect(log.lines == ["a 0", "a 1", "b 1"])
        #expect(relay.value == 1)
    }

    @Test("The value changes before the delivery") func valueBeforeDelivery() {
        let relay = BehaviorRelay(value: 0)
        let log = EventLog()
        _ = log.observe(relay.asObservable()) { event in
            guard event.element == 1 else { return }
            relay.accept(2)
            log.note("value \(relay.value)")
        }
        relay.accept(1)
        #expect(log.lines == ["0", "1", "value 2", "2"])
    }

    @Test("The last delivered element is the value, also in a race") func valueInRace() {
        for _ in 0..<20 {
            let relay = BehaviorRelay(value: 0)
            let log = EventLog()
            _ = log.observe(relay.asObservable())
            race(
                { for number in 1...500 { relay.accept(number) } },
                { for number in 1...500 { relay.accept(-number) } },
                { for _ in 0..<500 { _ = relay.value } })
            // The initial value and a thousand more: a deputy may deliver the events that the two left pending.
            #expect(settles { log.lines.count == 1_001 })
            #expect(log.lines.last == "\(relay.value)")
        }
    }
}
