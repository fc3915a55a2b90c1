// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxSwift

/// Traits beside the observables that they wrap.
extension Row {
    static var traits: [Row] {
        [
            driver(vs: "Observable on the main queue, 12 stages", bar: 0.77) { subject, sum in
                twelveStages(subject.observe(on: MainScheduler.instance)).subscribe(onNext: { sum.value &+= $0 })
            },
            driver(vs: "Observable, 12 stages, no hop") { subject, sum in
                twelveStages(subject).subscribe(onNext: { sum.value &+= $0 })
            },
            single, maybe, completable,
        ]
    }

    /// The sharing of each operator costs nothing where no other observer can subscribe; the hop and one share remain.
    private static func driver(
        vs peerName: String, bar: Double? = nil,
        peer subscribePeer: @escaping (PublishSubject<Int>, Sum) -> any Disposable
    ) -> Row {
        func workload(_ subscribe: @escaping (PublishSubject<Int>, Sum) -> any Disposable) -> Workload {
            { events in
                let sum = Sum()
                let subject = PublishSubject<Int>()
                let subscription = subscribe(subject, sum)
                for value in 0..<events {
                    subject.on(.next(value))
                }
                subscription.dispose()
                return sum.value
            }
        }
        return Row(
            .traits, "Driver.12stages.throughput", vs: peerName, bar: bar, events: 100_000,
            expected: { triangle($0) + 6 * $0 },
            ours: workload { subject, sum in
                twelveDriverStages(subject.asDriver(onErrorJustReturn: 0)).drive(onNext: { sum.value &+= $0 })
            },
            peer: workload(subscribePeer))
    }

    private static func twelveDriverStages(_ source: RxCocoa.Driver<Int>) -> RxCocoa.Driver<Int> {
        let four = source.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &+ 1 }.filter { $0 >= 1 }
        let eight = four.map { $0 &+ 1 }.filter { $0 >= 2 }.map { $0 &+ 1 }.filter { $0 >= 3 }
        return eight.map { $0 &+ 1 }.filter { $0 >= 4 }.map { $0 &+ 1 }.filter { $0 >= 5 }
    }

    private static var single: Row {
        lifecycle("Single", mallocLimit: 13) { value, sum in
            Single.just(value).map { $0 &+ 1 }.flatMap { Single.just($0) }.do(onSuccess: { sum.value &+= $0 })
                .asObservable().subscribe()
        } observable: { value, sum in
            Observable.just(value).map { $0 &+ 1 }.flatMap { Observable.just($0) }.do(onNext: { sum.value &+= $0 })
                .subscribe()
        }
    }

    private static var maybe: Row {
        lifecycle("Maybe", mallocLimit: 13) { value, sum in
            Maybe.just(value).map { $0 &+ 1 }.filter { $0 > 0 }.ifEmpty(default: 0).do(onSuccess: { sum.value &+= $0 })
                .asObservable().subscribe()
        } observable: { value, sum in
            Observable.just(value).map { $0 &+ 1 }.filter { $0 > 0 }.ifEmpty(default: 0)
                .do(onNext: { sum.value &+= $0 }).subscribe()
        }
    }

    private static var completable: Row {
        lifecycle("Completable", mallocLimit: 7) { value, sum in
            Completable.empty().andThen(Observable.just(value &+ 1)).subscribe(onNext: { sum.value &+= $0 })
        } observable: { value, sum in
            Observable<Int>.empty().concat(Observable.just(value &+ 1)).subscribe(onNext: { sum.value &+= $0 })
        }
    }

    /// Returns chains that live for one element. The limits of allocations are those of the same chain of observables.
    private static func lifecycle(
        _ name: String, mallocLimit: Double, _ trait: @escaping (Int, Sum) -> any Disposable,
        observable: @escaping (Int, Sum) -> any Disposable
    ) -> Row {
        func workload(_ subscribe: @escaping (Int, Sum) -> any Disposable) -> Workload {
            { subscriptions in
                let sum = Sum()
                for value in 0..<subscriptions { subscribe(value, sum).dispose() }
                return sum.value
            }
        }
        return Row(
            .traits, "\(name).lifecycle", vs: "the same with Observable", bar: 0.9, mallocLimit: mallocLimit,
            unit: "subscription", events: 20_000,
            expected: { triangle($0) + $0 },
            ours: workload(trait), peer: workload(observable))
    }
}
