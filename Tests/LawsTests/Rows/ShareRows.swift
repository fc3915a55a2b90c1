// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

extension Laws {
    static let shareRows: [Row] = [
        connected("connect()") { $0.publish() },
        connected("publish()") { $0.publish() },
        connected("replay(_:)") { $0.replay(2) },
        connected("replayAll()") { $0.replayAll() },
        connected("multicast(_:)") { $0.multicast(PublishSubject()) },
        Row("multicast(makeSubject:)", keeps: .everything) { source, probe in
            source.multicast {
                probe.note("makeSubject")
                return PublishSubject<Int>()
            }.refCount()
        },
        Row("multicast(_:selector:)", keeps: .everything) { source, probe in
            source.multicast {
                try probe.visit("subjectSelector")
                return PublishSubject<Int>()
            } selector: { (shared: Observable<Int>) -> Observable<Int> in
                try probe.visit("selector")
                return shared
            }
        },
        Row("multicast(_:selector:)", "twice", keeps: .repeating, chains: false) { source, probe in
            source.multicast {
                PublishSubject<Int>()
            } selector: { (shared: Observable<Int>) -> Observable<Int> in
                .merge(shared, shared)
            }
        },
        Row("refCount()", keeps: .everything) { source, _ in source.publish().refCount() },
        Row("refCount()", "replay", keeps: .everything) { source, _ in source.replay(1).refCount() },
        Row("share(replay:scope:)", keeps: .everything) { source, _ in source.share() },
        Row("share(replay:scope:)", "replay 1", keeps: .everything) { source, _ in source.share(replay: 1) },
        Row("share(replay:scope:)", "replay 2", keeps: .everything) { source, _ in source.share(replay: 2) },
        Row("share(replay:scope:)", "forever 0", keeps: .everything) { source, _ in source.share(scope: .forever) },
        Row("share(replay:scope:)", "forever 1", keeps: .everything) { source, _ in
            source.share(replay: 1, scope: .forever)
        },
        Row("share(replay:scope:)", "forever 2", keeps: .everything) { source, _ in
            source.share(replay: 2, scope: .forever)
        },
        Row("share(replay:scope:)", "two observers", keeps: .repeating, chains: false) { source, _ in
            let shared = source.share()
            return .merge(shared, shared)
        },
        Row("share(replay:scope:)", "two observers, replay 1", keeps: .repeating, chains: false) { source, _ in
            let shared = source.share(replay: 1)
            return .merge(shared, shared)
        },
        Row("share(replay:scope:)", "late subscribers", keeps: .nothing, chains: false) { source, _ in
            let shared = source.share(replay: 2)
            return shared.flatMap { $0 % 100 == 1 ? shared.take(3) : .just($0) }
        },
    ]

    private static func connected(
        _ name: String, _ make: @escaping @Sendable (Observable<Int>) -> ConnectableObservable<Int>
    ) -> Row {
        Row(name, keeps: .everything) { source, probe in
            let connectable = make(source)
            return .create { observer in
                probe.note("subscribe")
                let subscription = connectable.subscribe(observer)
                return Disposables.create(subscription, connectable.connect())
            }
        }
    }
}
