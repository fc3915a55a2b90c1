// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// A source that is never subscribed to twice at the same time, as a share promises, and that emits when it is told to.
private final class Source {
    let subject = PublishSubject<Element>()
    let subscriptions = Count()
    let active = Count()

    var observable: Observable<Element> {
        Observable.create { [self] observer in
            subscriptions.add()
            active.add()
            let inner = subject.subscribe(observer)
            return Disposables.create {
                inner.dispose()
                self.active.add(-1)
            }
        }
    }
}

extension Scenario {
    static let sharing: [Scenario] = [
        Scenario(
            "share.come-and-go", "the source is subscribed to while somebody is, and not any more afterwards",
            preemptions: 2
        ) {
            let source = Source()
            let shared = source.observable.share()
            return Run(
                {
                    let log = Log()
                    log.observe(shared).dispose()
                },
                {
                    let log = Log()
                    log.observe(shared).dispose()
                }
            ) {
                require(source.active.value == 0, "\(source.active.value) subscriptions are left")
                require(source.subscriptions.value >= 1, "never subscribed")
            }
        },
        Scenario(
            "share.terminal", "all subscribers get the terminal event, whether they join before or behind it",
            preemptions: 2
        ) {
            let subject = PublishSubject<Element>()
            let shared = subject.share()
            let (first, second) = (Log(), Log())
            let one = first.observe(shared)
            var two: (any Disposable)?
            return Run(
                {
                    subject.onNext(Element(1))
                    subject.onCompleted()
                }, { two = second.observe(shared) }
            ) {
                require(first.numbers == [1] && first.ends == 1, "\(first.numbers), ends \(first.ends)")
                require(second.ends == 1, "ends \(second.ends)")
                one.dispose()
                two?.dispose()
                require(!subject.hasObservers, "still subscribed")
            }
        },
        Scenario(
            "share.replay", "a late subscriber of share(replay: 1) misses nothing behind what it is given",
            preemptions: 2
        ) {
            let subject = PublishSubject<Element>()
            let shared = subject.share(replay: 1)
            let (first, second) = (Log(), Log())
            let one = first.observe(shared)
            var two: (any Disposable)?
            return Run(
                {
                    subject.onNext(Element(1))
                    subject.onNext(Element(2))
                }, { two = second.observe(shared) }
            ) {
                require(first.numbers == [1, 2], "\(first.numbers)")
                require([[1, 2], [2]].contains(second.numbers), "\(second.numbers)")
                one.dispose()
                two?.dispose()
                require(!subject.hasObservers, "still subscribed")
            }
        },
        Scenario(
            "share.leaves-in-replay",
            "who subscribes inside a replay finds the connection, though its other subscribers leave", preemptions: 3
        ) {
            let subject = PublishSubject<Element>()
            let shared = subject.share(replay: 1)
            let first = Log().observe(shared)
            subject.onNext(Element(1))
            let inner = Log()
            var subscription: (any Disposable)?
            return Run(
                { first.dispose() },
                {
                    var isReplay = true
                    _ = shared.take(1).subscribe(onDisposed: {
                        subscription = inner.observe(shared)
                        require(inner.numbers == (isReplay ? [1] : []), "\(inner.numbers)")
                    })
                    isReplay = false
                }
            ) {
                // Where there was no replay, the subscriber has a connection of its own, and leaves it now.
                if subscription == nil { subject.onNext(Element(1)) }
                let numbers = inner.numbers
                subject.onNext(Element(2))
                require(inner.numbers == numbers + [2], "\(inner.numbers)")
                subscription?.dispose()
                require(!subject.hasObservers, "still subscribed")
            }
        },
        Scenario(
            "share.cancelled-in-replay", "who is cancelled by another thread in a replay leaves once", preemptions: 3
        ) {
            let source = Source()
            let shared = source.observable.share(replay: 1)
            let first = Log().observe(shared)
            source.subject.onNext(Element(1))
            let stop = PublishSubject<Element>()
            let late = Log()
            return Run({ stop.onNext(Element(0)) }, { _ = late.observe(shared.take(until: stop)) }) {
                require(source.active.value == 1, "\(source.active.value) subscriptions")
                stop.onNext(Element(0))
                require(late.ends == 1, "\(late.ends) ends")
                require(source.active.value == 1, "\(source.active.value) subscriptions")
                first.dispose()
                require(source.active.value == 0, "\(source.active.value) subscriptions are left")
                require(source.subscriptions.value == 1, "subscribed \(source.subscriptions.value) times")
            }
        },
        Scenario(
            "ref-count.come-and-go",
            "the sequence is connected while somebody is subscribed, and not any more afterwards", preemptions: 2
        ) {
            let source = Source()
            let shared = source.observable.publish().refCount()
            return Run(
                { Log().observe(shared).dispose() }, { Log().observe(shared).dispose() }
            ) {
                require(source.active.value == 0, "\(source.active.value) subscriptions are left")
            }
        },
        Scenario(
            "ref-count.leaves-while-connecting",
            "where the only subscriber leaves while it connects, the connection ends, too", preemptions: 2
        ) {
            let active = Count()
            let source = Observable<Element>.create { observer in
                active.add()
                observer.onNext(Element(1))
                return Disposables.create { active.add(-1) }
            }
            let shared = source.publish().refCount()
            let logs = (Log(), Log())
            return Run(
                { logs.0.observe(shared.take(1)).dispose() }, { logs.1.observe(shared.take(1)).dispose() }
            ) {
                require(active.value == 0, "\(active.value) subscriptions are left")
            }
        },
        Scenario(
            "ref-count.late-subscriber",
            "who subscribes while the last subscriber leaves gets what is sent afterwards", preemptions: 3
        ) {
            let subject = PublishSubject<Element>()
            let shared = subject.publish().refCount()
            let (first, log) = (Log().observe(shared), Log())
            var second: (any Disposable)?
            return Run({ first.dispose() }, { second = log.observe(shared) }) {
                subject.onNext(Element(1))
                subject.onCompleted()
                require(log.numbers == [1] && log.ends == 1, "\(log.numbers), ends \(log.ends)")
                require(!subject.hasObservers, "still subscribed")
                second?.dispose()
            }
        },
        Scenario(
            "ref-count.two-late-subscribers",
            "late subscribers and the last subscriber that leaves connect and disconnect in the end", preemptions: 2
        ) {
            let subject = PublishSubject<Element>()
            let shared = subject.publish().refCount()
            let (first, log) = (Log().observe(shared), Log())
            return Run(
                { first.dispose() }, { Log().observe(shared).dispose() }, { log.observe(shared).dispose() }
            ) {
                require(!subject.hasObservers, "still subscribed")
            }
        },
        Scenario(
            "ref-count.subscriber-beside-end", "who subscribes while the source ends learns of its end", preemptions: 3
        ) {
            let subject = PublishSubject<Element>()
            let shared = subject.publish().refCount()
            let logs = (Log(), Log())
            _ = logs.0.observe(shared)
            return Run({ subject.onCompleted() }, { _ = logs.1.observe(shared) }) {
                require(logs.0.ends == 1 && logs.1.ends == 1, "\(logs.0.ends) and \(logs.1.ends) ends")
                require(!subject.hasObservers, "still subscribed")
            }
        },
        Scenario(
            "ref-count.terminal", "a subscriber that leaves and a source that ends disconnect once", preemptions: 2
        ) {
            let subject = PublishSubject<Element>()
            let shared = subject.publish().refCount()
            let log = Log()
            let one = log.observe(shared)
            return Run({ subject.onCompleted() }, { one.dispose() }, { Log().observe(shared).dispose() }) {
                require(log.ends <= 1, "ends \(log.ends)")
                require(!subject.hasObservers, "still subscribed")
            }
        },
        Scenario(
            "share.next-connection", "a subscriber that comes while the last one leaves gets each element once",
            preemptions: 3
        ) {
            let subject = PublishSubject<Element>()
            let shared = subject.share(replay: 0, scope: .forever)
            return nextConnection(subject, shared)
        },
        Scenario(
            "ref-count.next-connection", "a subscriber that comes while the last one leaves gets each element once",
            preemptions: 3
        ) {
            let subject = PublishSubject<Element>()
            return nextConnection(subject, subject.multicast(PublishSubject()).refCount())
        },
        Scenario(
            "multicast.connect", "two threads that connect share one connection, and disconnecting ends it",
            preemptions: 2
        ) {
            let source = Source()
            let connectable = source.observable.publish()
            let log = Log()
            let subscription = log.observe(connectable)
            var connections: (any Disposable, any Disposable) = (Resource(), Resource())
            return Run(
                { connections.0 = connectable.connect() }, { connections.1 = connectable.connect() },
                { source.subject.onNext(Element(1)) }
            ) {
                require(source.subscriptions.value == 1, "\(source.subscriptions.value) connections")
                connections.0.dispose()
                connections.1.dispose()
                require(source.active.value == 0, "\(source.active.value) subscriptions are left")
                subscription.dispose()
            }
        },
        Scenario(
            "multicast.disconnect", "threads that connect and disconnect leave nothing connected", preemptions: 2
        ) {
            let source = Source()
            let connectable = source.observable.publish()
            let log = Log()
            let subscription = log.observe(connectable)
            return Run(
                { connectable.connect().dispose() }, { connectable.connect().dispose() },
                { source.subject.onNext(Element(1)) }
            ) {
                require(source.active.value == 0, "\(source.active.value) subscriptions are left")
                subscription.dispose()
            }
        },
        Scenario(
            "multicast.reconnect", "a connection that is made while another one ends passes elements on", preemptions: 2
        ) {
            let subject = PublishSubject<Element>()
            let connectable = subject.publish()
            let log = Log()
            var kept: any Disposable = Resource()
            return Run({ connectable.connect().dispose() }, { kept = connectable.connect() }) {
                // Where both had one connection, it has ended.
                let subscription = log.observe(connectable)
                let isConnected = subject.hasObservers
                subject.onNext(Element(1))
                require(log.numbers == (isConnected ? [1] : []), "\(log.numbers)")
                kept.dispose()
                subscription.dispose()
                require(!subject.hasObservers, "still subscribed")
            }
        },
    ]
}

/// A subscriber that comes and is sent an element while the only other one leaves.
private func nextConnection(_ subject: PublishSubject<Element>, _ shared: Observable<Element>) -> Run {
    let (first, log) = (Log().observe(shared), Log())
    var second: (any Disposable)?
    let leave = { first.dispose() }
    let subscribe = {
        second = log.observe(shared)
        subject.onNext(Element(1))
    }
    return Run(leave, subscribe) {
        require(log.numbers == [1], "\(log.numbers)")
        second?.dispose()
        require(!subject.hasObservers, "still subscribed")
    }
}
