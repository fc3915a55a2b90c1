// SPDX-License-Identifier: Apache-2.0

import PubSub
import Testing

struct DeliveryCheckTests {
    private var check = DeliveryCheck()

    private mutating func receive(_ publisher: Int, _ sequences: Int...) {
        for sequence in sequences { check.receive(publisher: publisher, sequence: sequence) }
    }

    @Test mutating func publishersMayInterleave() {
        receive(1, 0)
        receive(2, 0, 1)
        receive(1, 1)
        #expect(check.lost(of: [1: 2, 2: 2]) == 0)
        #expect(check.outOfOrder == 0)
    }

    @Test mutating func seesWhatIsMissingInTheMidstAndAtTheEnd() {
        receive(1, 0, 2)
        #expect(check.lost(of: [1: 3]) == 1)
        #expect(check.lost(of: [1: 5]) == 3)
        #expect(check.lost(of: [1: 3, 2: 4]) == 5)
    }

    @Test mutating func whatTheServerDroppedIsNotLost() {
        receive(1, 0, 3)
        check.serverDropped(2)
        #expect(check.lost(of: [1: 4]) == 0)
        check.serverDropped(1)
        #expect(check.lost(of: [1: 4]) == -1)
    }

    @Test mutating func seesWhatComesTwiceOrTooLate() {
        receive(1, 0, 0, 2, 1)
        #expect(check.outOfOrder == 2)
    }
}
