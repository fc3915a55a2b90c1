import RxRelay
import RxSwift
import TestSupport
import Testing

@Suite struct ReplayRelayTests {
    @Test(arguments: [(0, [String]()), (1, ["3"]), (2, ["2", "3"]), (9, ["1", "2", "3"])])
    func aNewcomerGetsTheLastElements(_ bufferSize: Int, _ expected: [String]) {
        let relay = ReplayRelay<Int>.create(bufferSize: bufferSize)
        let log = EventLog()
        for number in 1...3 { relay.accept(number) }
        _ = log.observe(relay.asObservable())
        #expect(log.lines == expected)
        relay.accept(4)
        #expect(log.lines == expected + ["4"])
    }

    @Test func anUnboundOneRepeatsAll() {
        let relay = ReplayRelay<Int>.createUnbound()
        for number in 0..<1_000 { relay.accept(number) }
        #expect(events(of: relay.asObservable()) == (0..<1_000).map { "\($0)" })
    }

    @Test func whatIsForgottenIsReleasedAtOnce() {
        var released: [Int] = []
        let relay = ReplayRelay<ReleaseToken>.create(bufferSize: 1)
        for number in 1...3 { relay.accept(ReleaseToken(number, onRelease: { released.append(number) })) }
        #expect(released == [1, 2])
    }
}
