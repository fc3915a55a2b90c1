// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxSwift

extension CostRow {
    /// Returns the costs per subscription: made, subscribed to, and disposed of or completed.
    static var subscriptions: [CostRow] {
        let subject = PublishSubject<Int>()
        let behavior = BehaviorSubject(value: 0)
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let shared = subject.share()
        let sharedReplay = subject.share(replay: 1)
        return [
            disposed("publish") { subject.asObservable() },
            disposed("behavior") { behavior.asObservable() },
            disposed("map") { subject.map { $0 + 1 } },
            CostRow("take 1, ended by an event", .subscription) {
                let sum = Sum()
                return { units in
                    for value in 0..<units {
                        _ = subject.take(1).subscribe(onNext: { sum.value &+= $0 })
                        subject.onNext(value)
                    }
                }
            },
            disposed("skip") { subject.skip(1) },
            disposed("merge") { Observable.merge(subject, .never()) },
            disposed("zip") { Observable.zip(subject, subject) { $0 &+ $1 } },
            disposed("combineLatest") { Observable.combineLatest(subject, subject) { $0 &+ $1 } },
            disposed("flatMap") { subject.flatMap { Observable.just($0) } },
            disposed("concat of two, completed") { Observable.concat(.just(1), .just(2)) },
            disposed("share") { shared },
            disposed("share replay 1") { sharedReplay },
            disposed("create, completed") {
                Observable.create { observer in
                    observer.onNext(1)
                    observer.onCompleted()
                    return Disposables.create()
                }
            },
            disposed("create") { Observable.create { _ in Disposables.create() } },
            disposed("debounce") { subject.debounce(.seconds(3_600), scheduler: scheduler) },
            disposed("hop") { subject.observe(on: scheduler) },
        ]
    }

    private static func disposed(_ name: String, _ make: @escaping () -> Observable<Int>) -> CostRow {
        CostRow(name, .subscription) {
            let sum = Sum()
            return { units in
                for _ in 0..<units {
                    make().subscribe(onNext: { sum.value &+= $0 }).dispose()
                }
            }
        }
    }
}
