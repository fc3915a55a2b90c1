// SPDX-License-Identifier: Apache-2.0

import RxRelay
import RxSwift
import TestSupport
import Testing

/// Subscribers that pass the question of a source on to subscribers of their own (law L13).
@Suite struct PausingObserverTests {
    /// A bridge between a source and a sequence.
    private typealias Bridge = @Sendable (Observable<Int>) -> Observable<Int>

    private static let bridges: [(name: String, bridge: Bridge)] = [
        ("PublishSubject", { source in connected(PublishSubject()) { source.subscribe($0) } }),
        ("BehaviorSubject", { source in connected(BehaviorSubject(value: 0)) { source.subscribe($0) } }),
        ("ReplaySubject", { source in connected(ReplaySubject.create(bufferSize: 2)) { source.subscribe($0) } }),
        ("AnyObserver", { source in connected(PublishSubject()) { source.subscribe(AnyObserver($0)) } }),
        ("mapObserver", { source in connected(PublishSubject()) { source.subscribe($0.mapObserver { $0 }) } }),
        ("PublishRelay", { source in connected(PublishRelay()) { source.bind(to: $0) } }),
        ("BehaviorRelay", { source in connected(BehaviorRelay(value: 0)) { source.bind(to: $0) } }),
        ("ReplayRelay", { source in connected(ReplayRelay.create(bufferSize: 2)) { source.bind(to: $0) } }),
        ("create", { source in .create { source.subscribe($0) } }),
    ]

    /// A sequence that is connected to its source when it has a subscriber.
    private static func connected<Bridge: ObservableType>(
        _ bridge: Bridge, by connect: @escaping (Bridge) -> any Disposable
    ) -> Observable<Int> where Bridge.Element == Int {
        nonisolated(unsafe) let (bridge, connect) = (bridge, connect)
        return .create { observer in
            let subscription = bridge.subscribe(observer)
            return Disposables.create(subscription, connect(bridge))
        }
    }

    @Test("A question passes through a bridge", arguments: bridges.indices)
    func bridges(index: Int) async {
        let probe = PausableProbe()
        let gated = GatedScheduler()
        let subscription = Self.bridges[index].bridge(probe.observable).observe(on: gated.scheduler).subscribe()
        #expect((7_000...8_200).contains(probe.emitUntilPaused(limit: 20_000)), "\(Self.bridges[index].name)")
        gated.open()
        #expect(await eventually { probe.resumeCount >= 1 })
        #expect(!probe.ask())
        subscription.dispose()
    }

    @Test("A binding to several relays pauses the source only while all of them do")
    func severalRelays() {
        let probe = PausableProbe()
        let gated = GatedScheduler()
        let relays = [PublishRelay<Int>(), PublishRelay<Int>()]
        let binding = probe.observable.bind(to: relays[0], relays[1])
        let slow = relays.map { $0.observe(on: gated.scheduler).subscribe() }
        #expect(probe.emitUntilPaused(limit: 20_000) < 20_000)
        let fast = relays[1].subscribe()
        #expect(!probe.ask())
        fast.dispose()
        binding.dispose()
        for subscription in slow { subscription.dispose() }
        gated.open()
    }

    @Test("An observer of the program's own does not pause the source")
    func otherObserver() {
        final class Counter: ObserverType {
            nonisolated(unsafe) var count = 0
            func on(_ event: Event<Int>) { count += 1 }
        }
        let probe = PausableProbe()
        let counter = Counter()
        let subscription = probe.observable.subscribe(counter)
        #expect(probe.emitUntilPaused(limit: 100) == 100)
        #expect(counter.count == 100)
        subscription.dispose()
    }
}
