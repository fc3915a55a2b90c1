// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct ConnectableObservableTests {
    /// The functions that make a connectable sequence with a new subject for each connection.
    enum Maker: CaseIterable {
        case publish, replay, replayAll, multicast

        func connectable(_ source: Observable<Int>) -> ConnectableObservable<Int> {
            switch self {
            case .publish: source.publish()
            case .replay: source.replay(1)
            case .replayAll: source.replayAll()
            case .multicast: source.multicast { PublishSubject() }
            }
        }
    }

    @Test("Only `connect` subscribes to the source, with or without subscribers", arguments: Maker.allCases)
    func connect(maker: Maker) {
        let subject = PublishSubject<Int>()
        let connectable = maker.connectable(subject)
        let log = EventLog(connectable)
        #expect(!subject.hasObservers)
        log.dispose()
        let connection = connectable.connect()
        #expect(subject.hasObservers)
        connection.dispose()
        #expect(!subject.hasObservers)
    }

    @Test("A second `connect` subscribes no second time", arguments: Maker.allCases) func connectTwice(maker: Maker) {
        var subscriptions = 0
        let source = Observable<Int>.deferred {
            subscriptions += 1
            return .never()
        }
        let connectable = maker.connectable(source)
        let first = connectable.connect()
        let second = connectable.connect()
        #expect(subscriptions == 1)
        second.dispose()
        first.dispose()
    }

    @Test("A connection that was disposed of does not end the next one", arguments: Maker.allCases)
    func formerConnection(maker: Maker) {
        let subject = PublishSubject<Int>()
        let connectable = maker.connectable(subject)
        let former = connectable.connect()
        former.dispose()
        let log = EventLog(connectable)
        let next = connectable.connect()
        former.dispose()
        subject.onNext(1)
        #expect(log.lines == ["1"])
        next.dispose()
        log.dispose()
    }

    @Test("A connection that has ended does not end the next one", arguments: Maker.allCases)
    func endedConnection(maker: Maker) {
        nonisolated(unsafe) var subject = PublishSubject<Int>()
        let connectable = maker.connectable(.deferred { subject })
        let ended = connectable.connect()
        subject.onCompleted()
        subject = PublishSubject()
        let log = EventLog(connectable)
        let next = connectable.connect()
        ended.dispose()
        subject.onNext(1)
        #expect(log.lines == ["1"])
        next.dispose()
        log.dispose()
    }

    @Test("A disconnection sends nothing to the subscribers", arguments: Maker.allCases)
    func disconnection(maker: Maker) {
        let subject = PublishSubject<Int>()
        let connectable = maker.connectable(subject)
        let log = EventLog(connectable)
        let connection = connectable.connect()
        subject.onNext(1)
        connection.dispose()
        subject.onNext(2)
        subject.onError(Failure.expected)
        #expect(log.lines == ["1"])
        log.dispose()
    }

    @Test("A disconnection inside a callback sends nothing more", arguments: Maker.allCases)
    func disconnectionInCallback(maker: Maker) {
        let connectable = maker.connectable(.range(start: 1, count: 5, scheduler: CurrentThreadScheduler.instance))
        let connection = SerialDisposable()
        let log = EventLog()
        let subscription = log.observe(connectable) { event in
            if event == .next(2) { connection.dispose() }
        }
        // Inside an action of the trampoline, the source emits after `connect` has returned.
        _ = CurrentThreadScheduler.instance.schedule(()) { _ in
            connection.disposable = connectable.connect()
            return Disposables.create()
        }
        #expect(log.lines == ["1", "2"])
        subscription.dispose()
    }

    @Test("A source that ended before `connect` ends the subscribers when it is connected", arguments: Maker.allCases)
    func endBeforeConnect(maker: Maker) {
        let subject = PublishSubject<Int>()
        let connectable = maker.connectable(subject)
        let log = EventLog(connectable)
        subject.onCompleted()
        #expect(log.lines == [])
        connectable.connect().dispose()
        #expect(log.lines == ["completed"])
    }

    @Test("A subscriber may connect again inside the terminal event", arguments: Maker.allCases)
    func connectInTerminalEvent(maker: Maker) {
        var attempts = 0
        let source = Observable<Int>.deferred {
            attempts += 1
            return .just(attempts)
        }
        let connectable = maker.connectable(source)
        let log = EventLog()
        _ = log.observe(connectable, "first ") { event in
            guard event == .completed else { return }
            _ = log.observe(connectable, "second ")
            _ = connectable.connect()
        }
        _ = connectable.connect()
        #expect(log.lines == ["first 1", "first completed", "second 2", "second completed"])
        #expect(attempts == 2)
    }

    @Test("A race of two threads that connect subscribes once", arguments: Maker.allCases)
    func connectRace(maker: Maker) {
        raceRounds(
            200,
            prepare: { () -> (connectable: ConnectableObservable<Int>, subscriptions: AtomicCounter) in
                let subscriptions = AtomicCounter(0)
                let source = Observable<Int>.create { _ in
                    subscriptions.increment()
                    return Disposables.create()
                }
                return (maker.connectable(source), subscriptions)
            }, { _ = $0.connectable.connect() }, { _ = $0.connectable.connect() },
            check: { connectable, subscriptions in
                #expect(subscriptions.value == 1)
                connectable.connect().dispose()
            })
    }
}
