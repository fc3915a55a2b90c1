// SPDX-License-Identifier: Apache-2.0

import OpenCombine
import RxSwift

/// Subscriptions that live for one event: the cost of building, connecting and tearing them down.
extension Row {
    static var lifecycles: [Row] {
        [subjectLifecycle, chainLifecycle, createdChainLifecycle]
    }

    private static var subjectLifecycle: Row {
        Row(
            .lifecycles, "PublishSubject.lifecycle", vs: "OpenCombine PassthroughSubject",
            bar: 3, mallocLimit: nil, unit: "subject", events: 20_000,
            expected: triangle,
            ours: { subjects in
                let sum = Sum()
                for value in 0..<subjects {
                    let subject = PublishSubject<Int>()
                    let subscription = subject.subscribe(onNext: { sum.value &+= $0 })
                    subject.on(.next(value))
                    subscription.dispose()
                }
                return sum.value
            },
            peer: { subjects in
                let sum = Sum()
                for value in 0..<subjects {
                    let subject = PassthroughSubject<Int, Never>()
                    let subscription = subject.sink { sum.value &+= $0 }
                    subject.send(value)
                    subscription.cancel()
                }
                return sum.value
            })
    }

    private static var chainLifecycle: Row {
        Row(
            .lifecycles, "PublishSubject.12stages.lifecycle", vs: "OpenCombine, 12 stages",
            bar: 2.5, mallocLimit: nil, unit: "subscription", events: 5_000,
            expected: { triangle($0) + 6 * $0 },
            ours: { subscriptions in
                let sum = Sum()
                let subject = PublishSubject<Int>()
                for value in 0..<subscriptions {
                    let subscription = twelveStages(subject).subscribe(onNext: { sum.value &+= $0 })
                    subject.on(.next(value))
                    subscription.dispose()
                }
                return sum.value
            },
            peer: chainLifecycleOfPeer)
    }

    private static var createdChainLifecycle: Row {
        Row(
            .lifecycles, "create.12stages.lifecycle", vs: "OpenCombine, 12 stages",
            mallocLimit: nil, unit: "subscription", events: 5_000,
            expected: { triangle($0) + 6 * $0 },
            ours: { subscriptions in
                let sum = Sum()
                for value in 0..<subscriptions {
                    let source = Observable<Int>.create { observer in
                        observer.onNext(value)
                        return Disposables.create()
                    }
                    twelveStages(source).subscribe(onNext: { sum.value &+= $0 }).dispose()
                }
                return sum.value
            },
            peer: chainLifecycleOfPeer)
    }

    private static func chainLifecycleOfPeer(_ subscriptions: Int) -> Int {
        let sum = Sum()
        let subject = PassthroughSubject<Int, Never>()
        for value in 0..<subscriptions {
            let subscription = twelveStages(subject).sink { sum.value &+= $0 }
            subject.send(value)
            subscription.cancel()
        }
        return sum.value
    }
}
