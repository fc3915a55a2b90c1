// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct RefCountTests {
    @Test("The first subscriber connects and the last one disconnects") func firstAndLast() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let counted = subject.publish().refCount()
        let first = log.observe(counted, "a ")
        let second = log.observe(counted, "b ")
        subject.onNext(1)
        first.dispose()
        first.dispose()
        subject.onNext(2)
        #expect(subject.hasObservers)
        second.dispose()
        #expect(!subject.hasObservers)
        let third = log.observe(counted, "c ")
        subject.onNext(3)
        third.dispose()
        #expect(log.lines == ["a 1", "b 1", "b 2", "c 3"])
    }

    /// The subject delivers the end after it has repeated its element to the first subscriber.
    @Test("A subscriber that comes before the others learn of the end connects anew") func earlySubscribers() {
        let log = EventLog()
        let counted = Observable.just(1).multicast { BehaviorSubject(value: 0) }.refCount()
        var isFirst = true
        _ = counted.subscribe(onNext: { _ in
            guard isFirst else { return }
            isFirst = false
            _ = log.observe(counted, "b ")
            _ = log.observe(counted, "c ")
        })
        #expect(log.lines.filter { $0.hasPrefix("b") } == ["b 0", "b 1", "b completed"])
        #expect(log.lines.filter { $0.hasPrefix("c") } == ["c 0", "c 1", "c completed"])
    }

    @Test("A subscription after the end connects anew") func nextConnection() {
        let log = EventLog()
        let counted = Observable.just(1).publish().refCount()
        _ = log.observe(counted)
        _ = log.observe(counted)
        #expect(log.lines == ["1", "completed", "1", "completed"])
    }

    @Test("A subscriber behind a connection that was disposed of by hand connects anew")
    func connectionDisposedByHand() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let connectable = subject.publish()
        let counted = connectable.refCount()
        _ = log.observe(counted, "a ")
        connectable.connect().dispose()
        subject.onNext(1)
        _ = log.observe(counted, "b ")
        subject.onNext(2)
        #expect(log.lines == ["b 2"])
    }

    @Test("A subscriber may leave during `connect`") func leavesInConnect() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let source = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onNext(2)
            return subject.subscribe(observer)
        }
        _ = log.observe(source.publish().refCount().take(2))
        #expect(log.lines == ["1", "2", "completed"])
        #expect(!subject.hasObservers)
    }

    @Test("Subscribers may race with each other and with an emitter") func subscriberRace() {
        let subject = PublishSubject<Int>()
        let counted = subject.replay(1).refCount()
        race(
            { for _ in 0..<1_000 { counted.subscribe { _ in }.dispose() } },
            { for _ in 0..<1_000 { counted.subscribe { _ in }.dispose() } },
            { for number in 0..<1_000 { subject.onNext(number) } })
        #expect(!subject.hasObservers)
        let log = EventLog()
        let last = log.observe(counted)
        subject.onNext(-1)
        #expect(log.lines == ["-1"])
        last.dispose()
    }

    /// The fault: a subscriber that came between the end of the connection and the word of it to the others waited for ever at a new subject.
    @Test("Subscribers that race with the end of the source all learn of one", arguments: [true, false])
    func endRace(_ leavesEarly: Bool) {
        let source = Observable.of(1, 2, scheduler: SerialDispatchQueueScheduler(qos: .default))
        for counted in [
            source.publish().refCount(), source.replay(1).refCount(),
            source.multicast { BehaviorSubject(value: 0) }.refCount(),
        ] {
            let (begun, ended) = (AtomicCounter(0), AtomicCounter(0))
            let subscribing = {
                for number in 0..<2_000 {
                    begun.increment()
                    let subscription = counted.subscribe(onDisposed: { ended.increment() })
                    if leavesEarly, number % 4 == 0 { subscription.dispose() }
                }
            }
            race(subscribing, subscribing, subscribing)
            #expect(settles { ended.value == begun.value })
        }
    }

    @Test("Completion and disposal release the subscriber", arguments: [true, false])
    func release(completes: Bool) {
        weak var token: ReleaseToken?
        let subject = PublishSubject<Int>()
        do {
            let strong = ReleaseToken()
            token = strong
            let subscription = subject.publish().refCount().subscribe(onNext: { _ in _ = strong })
            if completes { subject.onCompleted() } else { subscription.dispose() }
        }
        #expect(token == nil)
    }
}
