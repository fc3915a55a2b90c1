// SPDX-License-Identifier: Apache-2.0

import RxSwift

extension Scenario {
    static let subjects: [Scenario] = [
        Scenario("subject.two-emitters", "two threads' events reach each observer once, one at a time, in one order") {
            let subject = PublishSubject<Element>()
            let logs = (Log(), Log())
            let subscriptions = [logs.0.observe(subject), logs.1.observe(subject)]
            return Run(
                {
                    subject.onNext(Element(1))
                    subject.onNext(Element(2))
                }, { subject.onNext(Element(11)) }
            ) {
                require(logs.0.numbers == logs.1.numbers, "two orders: \(logs.0.numbers), \(logs.1.numbers)")
                require(
                    logs.0.numbers.sorted() == [1, 2, 11] && isInOrder([1, 2], in: logs.0.numbers), "\(logs.0.numbers)")
                for subscription in subscriptions { subscription.dispose() }
            }
        },
        Scenario("subject.subscribe", "a subscription that is complete before an event starts receives it") {
            let subject = PublishSubject<Element>()
            let (early, late) = (Log(), Log())
            let first = early.observe(subject)
            var second: (any Disposable)?
            return Run(
                {
                    subject.onNext(Element(1))
                    subject.onNext(Element(2))
                },
                {
                    second = late.observe(subject)
                    subject.onNext(Element(11))
                }
            ) {
                require(early.numbers.sorted() == [1, 2, 11], "\(early.numbers)")
                require(late.numbers.contains(11), "an event sent after subscribing is lost: \(late.numbers)")
                require(
                    Array(early.numbers.suffix(late.numbers.count)) == late.numbers,
                    "two orders: \(early.numbers), \(late.numbers)")
                first.dispose()
                second?.dispose()
            }
        },
        Scenario(
            "subject.dispose",
            "after dispose() by another thread at most the event under way arrives, and all is released"
        ) {
            let subject = PublishSubject<Element>()
            let log = Log()
            let subscription = log.observe(subject)
            let disposed = Count()
            var behind = 0
            let counter = subject.subscribe(onNext: { _ in if disposed.value > 0 { behind += 1 } })
            return Run(
                {
                    subject.onNext(Element(1))
                    subject.onNext(Element(2))
                },
                {
                    subscription.dispose()
                    counter.dispose()
                    disposed.add()
                }
            ) {
                require([[], [1], [1, 2]].contains(log.numbers), "\(log.numbers)")
                require(behind <= 1, "\(behind) events after dispose() had returned")
                require(!subject.hasObservers, "still subscribed")
            }
        },
        Scenario(
            "subject.terminal", "a terminal event overtakes nothing, comes once, and ends what is subscribed later"
        ) {
            let subject = PublishSubject<Element>()
            let (early, late) = (Log(), Log())
            let first = early.observe(subject)
            var second: (any Disposable)?
            return Run(
                {
                    subject.onNext(Element(1))
                    subject.onCompleted()
                },
                { subject.onNext(Element(11)) },
                { second = late.observe(subject) }
            ) {
                require(early.ends == 1 && late.ends == 1, "ends: \(early.ends), \(late.ends)")
                require(early.numbers.contains(1), "\(early.numbers)")
                first.dispose()
                second?.dispose()
            }
        },
        Scenario(
            "subject.two-ends", "of two terminal events one is delivered, once, to early and late subscribers alike"
        ) {
            let subject = PublishSubject<Element>()
            let (early, late) = (Log(), Log())
            let subscription = early.observe(subject)
            return Run({ subject.onError(Expected.failure) }, { subject.onCompleted() }) {
                let second = late.observe(subject)
                require(early.ends == 1 && late.ends == 1, "ends \(early.ends) and \(late.ends) times")
                require(early.hasFailed == late.hasFailed, "two subscribers get different ends")
                require(!subject.hasObservers, "still subscribed")
                subscription.dispose()
                second.dispose()
            }
        },
        Scenario(
            "subject.end-and-dispose", "a subscription that is disposed of while its subject ends gets one end at most"
        ) {
            let subject = PublishSubject<Element>()
            let (log, late) = (Log(), Log())
            let subscription = log.observe(subject)
            var second: (any Disposable)?
            return Run(
                { subject.onError(Expected.failure) }, { subscription.dispose() }, { second = late.observe(subject) }
            ) {
                require(log.ends <= 1 && late.ends == 1, "ends \(log.ends) and \(late.ends) times")
                require(!subject.hasObservers, "still subscribed")
                second?.dispose()
            }
        },
        Scenario("subject.behavior", "a subscriber gets the current value first, and then every later one, in order") {
            let subject = BehaviorSubject(value: Element(0))
            let log = Log()
            var subscription: (any Disposable)?
            return Run(
                {
                    subject.onNext(Element(1))
                    subject.onNext(Element(2))
                },
                { subscription = log.observe(subject) }
            ) {
                require([[0, 1, 2], [1, 2], [2]].contains(log.numbers), "\(log.numbers)")
                subscription?.dispose()
            }
        },
        Scenario(
            "subject.behavior-two",
            "two threads' values and a subscriber: what the subscriber gets is a tail of the order", preemptions: 2
        ) {
            let subject = BehaviorSubject(value: Element(0))
            let (whole, tail) = (Log(), Log())
            let first = whole.observe(subject)
            var second: (any Disposable)?
            return Run(
                { subject.onNext(Element(1)) }, { subject.onNext(Element(11)) }, { second = tail.observe(subject) }
            ) {
                require(whole.numbers.count == 3, "\(whole.numbers)")
                require(
                    Array(whole.numbers.suffix(tail.numbers.count)) == tail.numbers && !tail.numbers.isEmpty,
                    "\(whole.numbers), \(tail.numbers)")
                require((try? subject.value().number) == whole.numbers.last, "the value is not the last one")
                first.dispose()
                second?.dispose()
            }
        },
        Scenario(
            "subject.behavior-dispose",
            "a subscription that is disposed of beside two threads' values gets a part of their order, and is released",
            preemptions: 2
        ) {
            let subject = BehaviorSubject(value: Element(0))
            let (whole, part) = (Log(), Log())
            let first = whole.observe(subject)
            let second = part.observe(subject)
            return Run(
                { subject.onNext(Element(1)) }, { subject.onNext(Element(11)) }, { second.dispose() }
            ) {
                require(whole.numbers.count == 3, "\(whole.numbers)")
                require(
                    Array(whole.numbers.prefix(part.numbers.count)) == part.numbers,
                    "two orders: \(whole.numbers), \(part.numbers)")
                first.dispose()
                require(!subject.hasObservers, "still subscribed")
            }
        },
        Scenario("subject.behavior-end", "a value beside a terminal event is delivered in front of it, or not at all") {
            let subject = BehaviorSubject(value: Element(0))
            let log = Log()
            let subscription = log.observe(subject)
            return Run({ subject.onNext(Element(1)) }, { subject.onCompleted() }) {
                require([[0], [0, 1]].contains(log.numbers), "\(log.numbers)")
                require(log.ends == 1, "ends \(log.ends) times")
                subscription.dispose()
            }
        },
        Scenario(
            "subject.replay", "a subscriber gets what is remembered and then the rest, without gap or repetition",
            preemptions: 2
        ) {
            let subject = ReplaySubject<Element>.create(bufferSize: 2)
            subject.onNext(Element(1))
            let log = Log()
            var subscription: (any Disposable)?
            return Run(
                {
                    subject.onNext(Element(2))
                    subject.onNext(Element(3))
                    subject.onCompleted()
                },
                { subscription = log.observe(subject) }
            ) {
                require([[1, 2, 3], [2, 3]].contains(log.numbers), "\(log.numbers)")
                require(log.ends == 1, "no end")
                subscription?.dispose()
            }
        },
    ]
}
