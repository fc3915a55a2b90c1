// SPDX-License-Identifier: Apache-2.0

import RxRelay
import RxSwift
import TestSupport
import Testing

@Suite struct PublishRelayTests {
    @Test("A late subscriber receives the elements that follow") func lateSubscriber() {
        let relay = PublishRelay<Int>()
        let log = EventLog()
        relay.accept(1)
        _ = log.observe(relay.asObservable())
        relay.accept(2)
        #expect(log.lines == ["2"])
    }

    @Test("A late subscriber inside a callback receives the elements still queued") func lateSubscriberInCallback() {
        let relay = PublishRelay<Int>()
        let log = EventLog()
        _ = log.observe(relay.asObservable(), "a ") { event in
            guard event.element == 1 else { return }
            relay.accept(2)
            _ = log.observe(relay.asObservable(), "b ")
        }
        relay.accept(1)
        #expect(log.lines == ["a 1", "a 2", "b 2"])
    }
}
