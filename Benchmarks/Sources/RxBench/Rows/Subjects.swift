// SPDX-License-Identifier: Apache-2.0

import OpenCombine
import RxSwift

/// Subjects: one producer, 1 to 16 observers, `on(.next)`.
extension Row {
    static var subjects: [Row] {
        [
            subject(observers: 1, events: 1_000_000, bar: 6),
            subject(observers: 2, events: 100_000, bar: 9),
            subject(observers: 16, events: 50_000, bar: 4),
        ]
    }

    private static func subject(observers: Int, events: Int, bar: Double) -> Row {
        Row(
            .subjects, "PublishSubject.1to\(observers).throughput", vs: "OpenCombine PassthroughSubject",
            bar: bar, events: events,
            expected: { triangle($0) * observers },
            ours: { events in
                let sum = Sum()
                let subject = PublishSubject<Int>()
                let subscriptions = (0..<observers).map { _ in
                    subject.subscribe(onNext: { sum.value &+= $0 })
                }
                for value in 0..<events {
                    subject.on(.next(value))
                }
                for subscription in subscriptions {
                    subscription.dispose()
                }
                return sum.value
            },
            peer: { events in
                let sum = Sum()
                let subject = PassthroughSubject<Int, Never>()
                let subscriptions = (0..<observers).map { _ in
                    subject.sink { sum.value &+= $0 }
                }
                for value in 0..<events {
                    subject.send(value)
                }
                for subscription in subscriptions {
                    subscription.cancel()
                }
                return sum.value
            })
    }
}
