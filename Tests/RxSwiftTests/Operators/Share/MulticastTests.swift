import RxSwift
import TestSupport
import Testing

@Suite struct MulticastTests {
    @Test func nothingComesBeforeConnect() {
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

    @Test func connectingTwiceIsConnectingOnce() {
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

    @Test func afterReconnectingOldSubscribersGetNothing() {
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

    @Test func aSharedSubjectKeepsItsSubscribersAndItsEnd() {
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

    @Test func replayRepeatsTheLastElements() {
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
        // The connection is over: a newcomer gets a new subject.
        _ = log.observe(last, "new ")
        #expect(log.lines.suffix(2) == ["last completed", "all completed"])
    }

    @Test func aSourceThatEndsInsideConnectCanBeConnectedAgain() {
        let log = EventLog()
        let published = Observable.just(1).publish()
        _ = log.observe(published, "a ")
        _ = published.connect()
        _ = log.observe(published, "b ")
        published.connect().dispose()
        #expect(log.lines == ["a 1", "a completed", "b 1", "b completed"])
    }

    @Test func theSelectorsSequenceSharesOneSubscription() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        var subscriptions = 0
        let source = Observable<Int>.create { observer in
            subscriptions += 1
            return subject.subscribe(observer)
        }
        let subscription = log.observe(
            source.multicast(
                { PublishSubject<Int>() },
                selector: { shared in
                    Observable.merge(shared.map { $0 * 10 }, shared.filter { $0 > 1 })
                }))
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.lines == ["10", "20", "2"])
        #expect(subscriptions == 1)
        subscription.dispose()
        #expect(!subject.hasObservers)
    }

    @Test func theSelectorsSequenceEndsWithItsSource() {
        let log = EventLog()
        _ = log.observe(Observable.just(1).multicast({ PublishSubject<Int>() }, selector: { $0 }))
        _ = log.observe(
            Observable.just(1).multicast(
                { () -> PublishSubject<Int> in throw NumberedFailure(1) },
                selector: { (shared: PublishedInts) in shared }))
        _ = log.observe(
            Observable.just(1).multicast(
                { PublishSubject<Int>() }, selector: { _ -> PublishedInts in throw NumberedFailure(2) }))
        #expect(log.lines == ["1", "completed", "error(1)", "error(2)"])
    }

    @Test func aSelectorThatThrowsEndsOnlyOnceWhenLeftAtTheEnd() {
        var completions = 0
        let failed = Observable.just(1).multicast(
            { () -> PublishSubject<Int> in throw Failure.expected }, selector: { (shared: PublishedInts) in shared })
        let ends = failed.materialize().do(onCompleted: { completions += 1 })
        #expect(events(of: ends.take(1)) == ["next(error(expected))", "completed"])
        #expect(completions == 0)
    }

    @Test func theSourceEndsAsSoonAsTheSelectorsSequenceDoes() {
        let log = EventLog()
        var sent: [Int] = []
        let source = Observable<Int>.create { observer in
            for number in 1...3 { observer.onNext(number) }
            return Disposables.create()
        }.do(onNext: { sent.append($0) })
        _ = log.observe(source.multicast({ PublishSubject<Int>() }, selector: { $0.take(1) }))
        #expect(log.lines == ["1", "completed"])
        #expect(sent == [1])
    }

    @Test func aSubjectOfAnotherKindIsAnObserverLikeAny() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let connectable = subject.multicast { Doubling() }
        _ = log.observe(connectable)
        _ = connectable.connect()
        subject.onNext(2)
        subject.onError(NumberedFailure(3))
        #expect(log.lines == ["4", "error(3)"])
    }

    /// A subject as a user writes one.
    final class Doubling: SubjectType {
        private let subject = PublishSubject<Int>()

        func asObserver() -> AnyObserver<Int> { subject.mapObserver { $0 * 2 } }

        func asObservable() -> Observable<Int> { subject }

        func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Int {
            subject.subscribe(observer)
        }
    }

    typealias PublishedInts = Observable<Int>

    @Test func everythingIsReleased() {
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

    @Test func connectAndDisposeMayRace() {
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
