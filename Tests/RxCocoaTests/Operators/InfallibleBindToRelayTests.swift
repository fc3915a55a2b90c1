// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxRelay
import RxSwift
import TestSupport
import Testing

@Suite struct InfallibleBindToRelayTests {
    @Test("Each element reaches all relays in the given order") func allRelays() {
        let log = EventLog()
        let publish = (PublishRelay<Int>(), PublishRelay<Int?>())
        let behavior = (BehaviorRelay(value: 0), BehaviorRelay<Int?>(value: nil))
        let replay = (ReplayRelay<Int>.create(bufferSize: 1), ReplayRelay<Int?>.createUnbound())
        _ = log.observe(publish.0.asObservable(), "publish ")
        _ = log.observe(publish.1.compactMap { $0 }, "publish? ")
        let source = PublishSubject<Int>()
        let infallible = Infallible<Int>(raw: source)
        let subscriptions: [any Disposable] = [
            infallible.bind(to: publish.0, publish.0), infallible.bind(to: publish.1),
            infallible.bind(to: behavior.0), infallible.bind(to: behavior.1, behavior.1),
            infallible.bind(to: replay.0), infallible.bind(to: replay.1, replay.1),
        ]
        source.onNext(1)
        source.onNext(2)
        #expect(
            log.lines == ["publish 1", "publish 1", "publish? 1", "publish 2", "publish 2", "publish? 2"])
        #expect(behavior.0.value == 2 && behavior.1.value == 2)
        #expect(events(of: replay.0.asObservable()) == ["2"])
        #expect(events(of: replay.1.map { $0! }) == ["1", "1", "2", "2"])
        for subscription in subscriptions { subscription.dispose() }
        #expect(!source.hasObservers)
    }

    @Test("The completion leaves the relays open") func completion() {
        let relay = PublishRelay<Int>()
        let log = EventLog()
        _ = log.observe(relay.asObservable())
        _ = Infallible(raw: Observable.of(1, 2)).bind(to: relay)
        relay.accept(3)
        #expect(log.lines == ["1", "2", "3"])
    }
}
