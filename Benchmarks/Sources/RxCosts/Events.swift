// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxSwift

extension CostRow {
    /// Returns the costs per event that a subject emits into a pipeline with one subscriber.
    static var events: [CostRow] {
        [
            event("publish") { $0.asObservable() },
            CostRow("behavior", .event) {
                let subject = BehaviorSubject(value: 0)
                return emitting({ subject.onNext($0) }, keeping: subject.subscribe(onNext: adding()))
            },
            CostRow("replay 16", .event) {
                let subject = ReplaySubject<Int>.create(bufferSize: 16)
                return emitting({ subject.onNext($0) }, keeping: subject.subscribe(onNext: adding()))
            },
            event("map") { $0.map { $0 + 1 } },
            event("take") { $0.take(.max) },
            event("skip") { $0.skip(1) },
            event("merge") { Observable.merge($0, .never()) },
            pair("zip") { Observable.zip($0, $1) { $0 &+ $1 } },
            pair("combineLatest") { Observable.combineLatest($0, $1) { $0 &+ $1 } },
            event("flatMap just") { $0.flatMap { Observable.just($0) } },
            event("concat") { Observable.concat($0, .never()) },
            event("share") { $0.share() },
            event("share replay 1") { $0.share(replay: 1) },
            CostRow("create", .event) {
                var observer: AnyObserver<Int>?
                let subscription = Observable<Int>.create {
                    observer = $0
                    return Disposables.create()
                }.subscribe(onNext: adding())
                let created = observer!
                return emitting({ created.onNext($0) }, keeping: subscription)
            },
            CostRow("debounce", .event) {
                let scheduler = SerialDispatchQueueScheduler(qos: .default)
                let subject = PublishSubject<Int>()
                let subscription = subject.debounce(.seconds(3_600), scheduler: scheduler).subscribe(onNext: adding())
                return emitting({ subject.onNext($0) }, keeping: subscription)
            },
            hop,
        ]
    }

    /// Enqueues all events before the first is delivered, so that each repetition is one burst.
    private static var hop: CostRow {
        CostRow("hop", .event) {
            let queue = DispatchQueue(label: "costs")
            let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "costs.serial")
            let subject = PublishSubject<Int>()
            let done = DispatchSemaphore(value: 0)
            let subscription = subject.observe(on: scheduler).subscribe(onNext: { if $0 < 0 { done.signal() } })
            return { units in
                queue.suspend()
                for value in 1..<units { subject.onNext(value) }
                subject.onNext(-1)
                queue.resume()
                done.wait()
                // Waits for the end of the burst's batch.
                queue.sync {}
                withExtendedLifetime(subscription) {}
            }
        }
    }

    private static func event(_ name: String, _ chain: @escaping (PublishSubject<Int>) -> Observable<Int>) -> CostRow {
        CostRow(name, .event) {
            let subject = PublishSubject<Int>()
            return emitting({ subject.onNext($0) }, keeping: chain(subject).subscribe(onNext: adding()))
        }
    }

    /// Returns a row in which an event is one element of each of two sources.
    private static func pair(
        _ name: String, _ combine: @escaping (PublishSubject<Int>, PublishSubject<Int>) -> Observable<Int>
    ) -> CostRow {
        CostRow(name, .event) {
            let left = PublishSubject<Int>()
            let right = PublishSubject<Int>()
            let emit = { (value: Int) in
                left.onNext(value)
                right.onNext(value)
            }
            return emitting(emit, keeping: combine(left, right).subscribe(onNext: adding()))
        }
    }

    private static func emitting(_ emit: @escaping (Int) -> Void, keeping subscription: any Disposable) -> (Int) -> Void
    {
        { units in
            for value in 0..<units { emit(value) }
            withExtendedLifetime(subscription) {}
        }
    }

    private static func adding() -> (Int) -> Void {
        let sum = Sum()
        return { sum.value &+= $0 }
    }
}
