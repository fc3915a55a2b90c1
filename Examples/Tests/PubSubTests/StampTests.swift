// SPDX-License-Identifier: Apache-2.0

import PubSub
import Testing

struct StampTests {
    @Test func isReadAsItWasWritten() {
        let stamp = Stamp(publisher: 3, sequence: 1_000_000, time: .max)
        #expect(Stamp(payload: stamp.payload(size: 0)[...]) == stamp)
        #expect(Stamp(payload: stamp.payload(size: 64)[...]) == stamp)
        #expect(stamp.payload(size: 64).utf8.count == 64)
    }

    @Test(arguments: ["", "1", "1 2", "1 2 x ", "one 2 3 "])
    func anotherPayloadIsNone(payload: String) {
        #expect(Stamp(payload: payload[...]) == nil)
    }
}
