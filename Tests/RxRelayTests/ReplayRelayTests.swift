// SPDX-License-Identifier: Apache-2.0

import RxRelay
import RxSwift
import TestSupport
import Testing

@Suite struct ReplayRelayTests {
    @Test(
        "A late subscriber receives the last elements",
        arguments: [(0, [String]()), (1, ["3"]), (2, ["2", "3"]), (9, ["1", "2", "3"])])
    func lastElements(_ bufferSize: Int, _ expected: [String]) {
        let relay = ReplayRelay<Int>.create(bufferSize: bufferSize)
        let log = EventLog()
        for number in 1...3 { relay.accept(number) }
        _ = log.observe(relay.asObservable())
        #expect(log.lines == expected)
        relay.accept(4)
        #expect(log.lines == expected + ["4"])
    }

    @Test("An unbound relay repeats all elements") func unbound() {
        let relay = ReplayRelay<Int>.createUnbound()
        for number in 0..<1_000 { relay.accept(number) }
        #expect(events(of: relay.asObservable()) == (0..<1_000).map { "\($0)" })
    }

    @Test("The relay releases a forgotten element at once") func forgottenElement() {
        var released: [Int] = []
        let relay = ReplayRelay<ReleaseToken>.create(bufferSize: 1)
        for number in 1...3 { relay.accept(ReleaseToken(number, onRelease: { released.append(number) })) }
        #expect(released == [1, 2])
    }
}
