// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct MulticastTests {
    @Test("Elements come between `connect` and its disposal") func connect() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let published = subject.publish()
        _ = log.observe(published, "a ")
        subject.onNext(1)
        let connection = published.connect()
        subject.onNext(2)
        _ = log.observe(published, "b ")
        subject.onNext(3)
        connection.dispose()
        connection.dispose()
        subject.onNext(4)
        #expect(log.lines == ["a 2", "a 3", "b 3"])
        #expect(!subject.hasObservers)
    }

    /// The fault: it stopped at the first subscription, with the name of another function.
    @Test("A negative buffer size of replay stops the program and is named") func negativeReplay() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable<Int>.never().replay(-1)
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("replay: bufferSize is -1"))
    }

    @Test("A second `connect` returns the same connection") func connectTwice() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let published = subject.publish()
        _ = log.observe(published)
        let first = published.connect()
        let second = published.connect()
        subject.onNext(1)
        #expect(log.lines == ["1"])
        second.dispose()
        #expect(!subject.hasObservers)
        first.dispose()
    }

    @Test("A new connection does not reach the subscribers of the old one") func reconnect() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let published = subject.publish()
        _ = log.observe(published, "a ")
        published.connect().dispose()
        _ = log.observe(published, "b ")
        _ = published.connect()
        subject.onNext(1)
        #expect(log.lines == ["b 1"])
    }

    @Test("A kept subject keeps its subscribers and its end") func keptSubject() {
        let source = PublishSubject<Int>()
        let log = EventLog()
        let multicast = source.multicast(PublishSubject())
        _ = log.observe(multicast, "a ")
        multicast.connect().dispose()
        _ = multicast.connect()
        source.onNext(1)
        source.onCompleted()
        _ = log.observe(multicast, "b ")
        #expect(log.lines == ["a 1", "a completed", "b completed"])
    }

    @Test("`replay` repeats the last elements and `replayAll` all of them") func replay() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let last = subject.replay(2)
        let all = subject.replayAll()
        _ = last.connect()
        _ = all.connect()
        for number in 1...3 { subject.onNext(number) }
        _ = log.observe(last, "last ")
        _ = log.observe(all, "all ")
        #expect(log.lines == ["last 2", "last 3", "all 1", "all 2", "all 3"])
        subject.onCompleted()
        // The connection has ended, so a new subscriber gets a new subject.
        _ = log.observe(last, "new ")
        #expect(log.lines.suffix(2) == ["last completed", "all completed"])
    }

    @Test("A source that ends inside `connect` can be connected again") func endsInConnect() {
        let log = EventLog()
        let published = Observable.just(1).publish()
        _ = log.observe(published, "a ")
        _ = published.connect()
        _ = log.observe(published, "b ")
        published.connect().dispose()
        #expect(log.lines == ["a 1", "a completed", "b 1", "b completed"])
    }

    @Test("A subject of the user's own kind works like any other") func usersSubject() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let connectable = subject.multicast { Doubling() }
        _ = log.observe(connectable)
        _ = connectable.connect()
        subject.onNext(2)
        subject.onError(NumberedFailure(3))
        #expect(log.lines == ["4", "error(3)"])
    }

    /// A subject of the kind that users write.
    final class Doubling: SubjectType {
        private let subject = PublishSubject<Int>()

        func asObserver() -> AnyObserver<Int> { subject.mapObserver { $0 * 2 } }

        func asObservable() -> Observable<Int> { subject }

        func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Int {
            subject.subscribe(observer)
        }
    }

    @Test("The end releases the subscriber and the connectable sequence") func release() {
        weak var token: ReleaseToken?
        weak var published: ConnectableObservable<Int>?
        let subject = PublishSubject<Int>()
        do {
            let strong = ReleaseToken()
            token = strong
            let connectable = subject.publish()
            published = connectable
            _ = connectable.subscribe(onNext: { _ in _ = strong })
            _ = connectable.connect()
            subject.onCompleted()
        }
        #expect(token == nil)
        #expect(published == nil)
    }

    @Test("Connections, disposals, subscriptions and elements may race") func connectionRace() {
        let subject = PublishSubject<Int>()
        let published = subject.publish()
        race(
            { for _ in 0..<1_000 { published.connect().dispose() } },
            { for _ in 0..<1_000 { published.connect().dispose() } },
            { for _ in 0..<1_000 { published.subscribe { _ in }.dispose() } },
            { for number in 0..<1_000 { subject.onNext(number) } })
        #expect(!subject.hasObservers)
    }
}
