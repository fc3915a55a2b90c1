// SPDX-License-Identifier: Apache-2.0

import RxSwift

extension Scenario {
    /// Threads that do one event of other threads each, and deputies.
    static let serializers: [Scenario] = [
        emitters("serializer.deputy", threads: 3),
        emitters("serializer.no-deputy", threads: 0),
        emitters("serializer.deputy-at-once", eventLimit: 0, threads: 3),
        emitters("serializer.no-deputy-at-once", eventLimit: 0, threads: 0),
        withDeputies(
            "serializer.no-deputy-returns",
            "a thread that takes a serializer back which another one has taken and left meanwhile runs no event twice",
            eventLimit: 1,
            threads: 0
        ) {
            let subject = PublishSubject<Element>()
            let log = Log()
            let subscription = log.observe(subject)
            return Run(
                { subject.onNext(Element(1)) }, { for number in 11...13 { subject.onNext(Element(number)) } },
                { subject.onNext(Element(21)) }
            ) {
                require(log.numbers.sorted() == [1, 11, 12, 13, 21], "\(log.numbers)")
                require(isInOrder([11, 12, 13], in: log.numbers), "order: \(log.numbers)")
                subscription.dispose()
            }
        },
        withDeputies(
            "serializer.dispose-vacant", "a subscription to a subject that is left vacant is disposed of and released"
        ) {
            let subject = PublishSubject<Element>()
            let log = Log()
            let subscription = log.observe(subject)
            return Run(
                { subject.onNext(Element(1)) }, { subject.onNext(Element(11)) }, { subscription.dispose() }
            ) {
                require(Set(log.numbers).count == log.numbers.count && log.ends == 0, "\(log.numbers)")
                require(!subject.hasObservers, "still subscribed")
            }
        },
        withDeputies(
            "serializer.end-vacant",
            "a terminal event reaches the observers of a subject that is left vacant, once and last"
        ) {
            let subject = PublishSubject<Element>()
            let log = Log()
            let subscription = log.observe(subject)
            return Run(
                {
                    subject.onNext(Element(1))
                    subject.onCompleted()
                }, { subject.onNext(Element(11)) }
            ) {
                require([[1], [1, 11], [11, 1]].contains(log.numbers), "\(log.numbers)")
                require(log.ends == 1, "ends \(log.ends) times")
                require(!subject.hasObservers, "still subscribed")
                subscription.dispose()
            }
        },
        withDeputies(
            "serializer.two-vacant", "deputies come to each of two subjects that are left vacant", preemptions: 2
        ) {
            let (first, second) = (PublishSubject<Element>(), PublishSubject<Element>())
            let (log, other) = (Log(), Log())
            let subscriptions = [log.observe(first), other.observe(second)]
            return Run(
                {
                    first.onNext(Element(1))
                    second.onNext(Element(2))
                },
                {
                    first.onNext(Element(11))
                    second.onNext(Element(12))
                }
            ) {
                require(log.numbers.sorted() == [1, 11], "\(log.numbers)")
                require(other.numbers.sorted() == [2, 12], "\(other.numbers)")
                for subscription in subscriptions { subscription.dispose() }
            }
        },
        withDeputies(
            "serializer.merge-dispose", "an operator with two sources is disposed of while it is left vacant",
            preemptions: 2
        ) {
            let (first, second) = (PublishSubject<Element>(), PublishSubject<Element>())
            let log = Log()
            let subscription = log.observe(Observable.merge(first, second))
            return Run(
                { first.onNext(Element(1)) }, { second.onNext(Element(11)) }, { subscription.dispose() }
            ) {
                require(Set(log.numbers).count == log.numbers.count && log.ends == 0, "\(log.numbers)")
                require(!first.hasObservers && !second.hasObservers, "still subscribed")
            }
        },
        withDeputies(
            "serializer.late-subscriber",
            "what a late subscriber's buffer kept back arrives behind what is replayed, in order"
        ) {
            let subject = ReplaySubject<Element>.create(bufferSize: 1)
            subject.onNext(Element(1))
            let log = Log()
            var subscription: (any Disposable)?
            return Run(
                {
                    subject.onNext(Element(2))
                    subject.onNext(Element(3))
                },
                { subscription = log.observe(subject) }
            ) {
                require([[1, 2, 3], [2, 3], [3]].contains(log.numbers), "\(log.numbers)")
                subscription?.dispose()
                require(!subject.hasObservers, "still subscribed")
            }
        },
        Scenario(
            "serializer.late-subscriber-dispose",
            "a late subscriber that another thread disposes of keeps nothing and gets no gap", preemptions: 2
        ) {
            let subject = ReplaySubject<Element>.create(bufferSize: 1)
            subject.onNext(Element(1))
            let log = Log()
            let serial = SerialDisposable()
            return Run(
                {
                    subject.onNext(Element(2))
                    subject.onNext(Element(3))
                },
                { serial.disposable = log.observe(subject) }, { serial.dispose() }
            ) {
                require(
                    [[], [1], [1, 2], [1, 2, 3], [2], [2, 3], [3]].contains(log.numbers), "\(log.numbers)")
                require(!subject.hasObservers, "still subscribed")
            }
        },
    ]

    /// Two threads that emit, and do `eventLimit` events of each other's.
    private static func emitters(_ name: String, eventLimit: Int = 1, threads: Int) -> Scenario {
        withDeputies(
            name, "two threads' events reach an observer once, one at a time, in each thread's order",
            eventLimit: eventLimit,
            threads: threads
        ) {
            let subject = PublishSubject<Element>()
            let log = Log()
            let subscription = log.observe(subject)
            return Run(
                {
                    subject.onNext(Element(1))
                    subject.onNext(Element(2))
                },
                {
                    subject.onNext(Element(11))
                    subject.onNext(Element(12))
                }
            ) {
                require(log.numbers.sorted() == [1, 2, 11, 12], "\(log.numbers)")
                require(
                    isInOrder([1, 2], in: log.numbers) && isInOrder([11, 12], in: log.numbers), "order: \(log.numbers)")
                subscription.dispose()
                require(!subject.hasObservers, "still subscribed")
            }
        }
    }

    static func withDeputies(
        _ name: String, _ claim: String, eventLimit: Int = 0, threads: Int = 3, preemptions: Int = 3,
        prepare: @escaping () -> Run
    ) -> Scenario {
        Scenario(name, claim, preemptions: preemptions) {
            let deputies = ScenarioDeputies(eventLimit: eventLimit, threads: threads)
            var run = prepare()
            let check = run.check
            run.check = {
                check()
                withExtendedLifetime(deputies) { ScenarioDeputies.reset() }
            }
            return run
        }
    }
}
