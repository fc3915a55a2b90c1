import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// What `hasObservers` promises to who asks on another thread: what is emitted from then on reaches the subscription.
@Suite struct HasObserversTests {
    /// A subject of each kind that says whether it has observers.
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

        /// What a subscriber gets that came before the element 1 and the completion.
        var expected: String { self == .behavior ? "0 1 completed" : "1 completed" }
    }

    @Test(arguments: Kind.allCases)
    func whatIsEmittedOnceThereIsAnObserverReachesIt(kind: Kind) {
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

    /// The same while another delivery is under way, which the newcomer is left to.
    @Test(arguments: [Kind.publish, .behavior, .replay])
    func whatIsEmittedDuringADeliveryReachesTheObserverOfAnotherThread(kind: Kind) {
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
            // What a newcomer is given of what was before differs.
            guard log.text.hasSuffix("1 completed") else {
                Issue.record("round \(round): \(log.text)")
                return
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func disposingMeetsSubscribingAndNobodyIsLeft(kind: Kind) {
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
}
