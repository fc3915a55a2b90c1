// SPDX-License-Identifier: Apache-2.0

import OpenCombine
import RxSwift

/// Subjects that replay values to late subscribers, with 1 observer. OpenCombine has one such type.
extension Row {
    static var replaying: [Row] {
        [
            Row(
                .replaying, "BehaviorSubject.1to1.throughput", vs: "OpenCombine CurrentValueSubject",
                bar: 4, events: 100_000,
                expected: triangle,
                ours: { events in
                    let sum = Sum()
                    let subject = BehaviorSubject(value: 0)
                    let subscription = subject.subscribe(onNext: { sum.value &+= $0 })
                    for value in 0..<events {
                        subject.onNext(value)
                    }
                    subscription.dispose()
                    return sum.value
                },
                peer: currentValueOfPeer),
            Row(
                .replaying, "ReplaySubject16.1to1.throughput", vs: "OpenCombine CurrentValueSubject",
                bar: 2, events: 100_000,
                expected: triangle,
                ours: { events in
                    let sum = Sum()
                    let subject = ReplaySubject<Int>.create(bufferSize: 16)
                    let subscription = subject.subscribe(onNext: { sum.value &+= $0 })
                    for value in 0..<events {
                        subject.onNext(value)
                    }
                    subscription.dispose()
                    return sum.value
                },
                peer: currentValueOfPeer),
            Row(
                .replaying, "shareReplay1.1to1.throughput", vs: "OpenCombine CurrentValueSubject",
                bar: 3, events: 100_000,
                expected: triangle,
                ours: { events in
                    let sum = Sum()
                    let subject = PublishSubject<Int>()
                    let subscription = subject.share(replay: 1).subscribe(onNext: { sum.value &+= $0 })
                    for value in 0..<events {
                        subject.onNext(value)
                    }
                    subscription.dispose()
                    return sum.value
                },
                peer: currentValueOfPeer),
        ]
    }

    private static func currentValueOfPeer(_ events: Int) -> Int {
        let sum = Sum()
        let subject = CurrentValueSubject<Int, Never>(0)
        let subscription = subject.sink { sum.value &+= $0 }
        for value in 0..<events {
            subject.send(value)
        }
        subscription.cancel()
        return sum.value
    }
}
