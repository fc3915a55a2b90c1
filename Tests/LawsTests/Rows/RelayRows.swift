// SPDX-License-Identifier: Apache-2.0

import RxRelay
import RxSwift
import TestSupport

extension Laws {
    /// Relays between a source and the observer. Terminal events, which no relay takes, pass through them as elements.
    static let relayRows: [Row] = [
        through("PublishRelay", keeps: .everything) { () -> (PublishRelay<Event<Int>>, Binding) in
            let relay = PublishRelay<Event<Int>>()
            return (relay, { $0.bind(to: relay) })
        },
        through("PublishRelay of optionals", keeps: .everything) { () -> (Observable<Event<Int>>, Binding) in
            let relay = PublishRelay<Event<Int>?>()
            return (relay.compactMap { $0 }, { $0.bind(to: relay) })
        },
        through("BehaviorRelay", keeps: .nothing) { () -> (BehaviorRelay<Event<Int>>, Binding) in
            let relay = BehaviorRelay<Event<Int>>(value: .next(0))
            return (relay, { $0.bind(to: relay) })
        },
        through("BehaviorRelay of optionals", keeps: .everything) { () -> (Observable<Event<Int>>, Binding) in
            let relay = BehaviorRelay<Event<Int>?>(value: nil)
            return (relay.compactMap { $0 }, { $0.bind(to: relay) })
        },
        through("ReplayRelay", keeps: .everything) { () -> (ReplayRelay<Event<Int>>, Binding) in
            let relay = ReplayRelay<Event<Int>>.create(bufferSize: 1)
            return (relay, { $0.bind(to: relay) })
        },
        through("ReplayRelay of optionals", keeps: .everything) { () -> (Observable<Event<Int>>, Binding) in
            let relay = ReplayRelay<Event<Int>?>.createUnbound()
            return (relay.compactMap { $0 }, { $0.bind(to: relay) })
        },
    ]

    typealias Binding = (Observable<Event<Int>>) -> any Disposable

    private static func through<Relay: ObservableType>(
        _ variant: String, keeps: Keeps, _ make: @escaping @Sendable () -> (Relay, Binding)
    ) -> Row where Relay.Element == Event<Int> {
        // The row counts for its four parts: `create`, `materialize`, the relay and `dematerialize`.
        Row("bind(to:)", variant, keeps: keeps, weight: 4) { source, probe in
            .create { observer in bound(source, observer, probe, make) }
        }
    }

    /// Not inlined: in a chain, the variables of the closure above take stack once for each member of the chain (law L8).
    @inline(never)
    private static func bound<Relay: ObservableType>(
        _ source: Observable<Int>, _ observer: AnyObserver<Int>, _ probe: Probe, _ make: () -> (Relay, Binding)
    ) -> any Disposable where Relay.Element == Event<Int> {
        probe.note("subscribe")
        let (relay, bind) = make()
        let subscription = relay.dematerialize().subscribe(observer)
        return Disposables.create(subscription, bind(source.materialize()))
    }
}
