// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// The promise of `hasObservers` to a caller on another thread: events emitted afterwards reach the subscription.
@Suite struct HasObserversTests {
    /// A subject that tells whether it has observers.
    enum Kind: CaseIterable {
        case publish, behavior, replay, async

        func make() -> (subject: any ObserverType<Int>, source: Observable<Int>, hasObservers: () -> Bool) {
            switch self {
            case .publish:
                let subject = PublishSubject<Int>()
                return (subject, subject, { subject.hasObservers })
            case .behavior:
                let subject = BehaviorSubject(value: 0)
                return (subject, subject, { subject.hasObservers })
            case .replay:
                let subject = ReplaySubject<Int>.create(bufferSize: 1)
                return (subject, subject, { subject.hasObservers })
            case .async:
                let subject = AsyncSubject<Int>()
                return (subject, subject, { subject.hasObservers })
            }
        }

        /// The events that reach a subscriber that came before the element 1 and the completion.
        var expected: String { self == .behavior ? "0 1 completed" : "1 completed" }
    }

    @Test("An event emitted after hasObservers turned true reaches the observer", arguments: Kind.allCases)
    func emittedAfterwards(kind: Kind) {
        for round in 0..<stepCount(20_000, debug: 2_000) {
            nonisolated(unsafe) let made = kind.make()
            let log = EventLog()
            race(
                {
                    jitter(round)
                    _ = log.observe(made.source)
                },
                {
                    spin(until: made.hasObservers)
                    made.subject.onNext(1)
                    made.subject.onCompleted()
                })
            guard log.text == kind.expected else {
                Issue.record("round \(round): \(log.text)")
                return
            }
        }
    }

    /// The late subscriber arrives during another delivery, which then delivers to it as well.
    @Test(
        "An event emitted during a delivery reaches the observer of another thread",
        arguments: [Kind.publish, .behavior, .replay])
    func emittedInDelivery(kind: Kind) {
        for round in 0..<stepCount(20_000, debug: 2_000) {
            nonisolated(unsafe) let made = kind.make()
            let log = EventLog()
            let isDelivering = AtomicCounter(0)
            race(
                {
                    spin { isDelivering.value != 0 }
                    jitter(round)
                    _ = log.observe(made.source)
                },
                {
                    nonisolated(unsafe) var first: (any Disposable)?
                    first = made.source.subscribe(onNext: { element in
                        guard element == 2 else { return }
                        first?.dispose()
                        isDelivering.increment()
                        spin(until: made.hasObservers)
                        made.subject.onNext(1)
                        made.subject.onCompleted()
                    })
                    made.subject.onNext(2)
                })
            // The subjects differ in the earlier events that they replay.
            guard log.text.hasSuffix("1 completed") else {
                Issue.record("round \(round): \(log.text)")
                return
            }
        }
    }

    @Test("A subscription that races with its dispose leaves no observer", arguments: Kind.allCases)
    func disposeRace(kind: Kind) {
        for round in 0..<stepCount(20_000, debug: 2_000) {
            nonisolated(unsafe) let made = kind.make()
            let subscription = SingleAssignmentDisposable()
            let other = made.source.subscribe()
            race(
                { subscription.setDisposable(made.source.subscribe()) },
                {
                    jitter(round)
                    subscription.dispose()
                })
            let hadOther = made.hasObservers()
            other.dispose()
            guard hadOther, !made.hasObservers() else {
                Issue.record("round \(round): \(hadOther), \(made.hasObservers())")
                return
            }
        }
    }

    @Test("A behavior subject has no observers behind its terminal event") func observersOfEndedSubject() {
        let subject = BehaviorSubject(value: 1)
        let subscription = subject.subscribe()
        #expect(subject.hasObservers)
        subject.onCompleted()
        #expect(!subject.hasObservers)
        subscription.dispose()
    }
}
