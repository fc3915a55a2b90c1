// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct ShareTests {
    /// Counts the subscriptions to a sequence and their ends.
    final class Census: @unchecked Sendable {
        var subscribed = 0, ended = 0

        func count<Element>(_ source: Observable<Element>) -> Observable<Element> {
            .create { observer in
                self.subscribed += 1
                let inner = source.subscribe(observer)
                return Disposables.create {
                    self.ended += 1
                    inner.dispose()
                }
            }
        }
    }

    static let forms: [(replay: Int, scope: SubjectLifetimeScope)] = [
        (0, .whileConnected), (1, .whileConnected), (2, .whileConnected), (0, .forever), (1, .forever), (2, .forever),
    ]

    @Test("All subscribers share one subscription to the source", arguments: forms)
    func oneSubscription(_ replay: Int, _ scope: SubjectLifetimeScope) {
        let subject = PublishSubject<Int>()
        let census = Census()
        let log = EventLog()
        let shared = census.count(subject).share(replay: replay, scope: scope)
        #expect(census.subscribed == 0)
        let first = log.observe(shared, "a ")
        subject.onNext(1)
        subject.onNext(2)
        subject.onNext(3)
        let second = log.observe(shared, "b ")
        subject.onNext(4)
        first.dispose()
        subject.onNext(5)
        #expect(census.subscribed == 1 && census.ended == 0)
        second.dispose()
        #expect(census.ended == 1 && !subject.hasObservers)
        let replayed = [["b 3"], ["b 2", "b 3"]]
        #expect(
            log.lines == ["a 1", "a 2", "a 3"] + (replay == 0 ? [] : replayed[replay - 1]) + ["a 4", "b 4", "b 5"])
        _ = log.observe(shared, "c ")
        #expect(census.subscribed == 2)
        let stale = scope == .forever && replay > 0 ? [["c 5"], ["c 4", "c 5"]][replay - 1] : []
        #expect(log.lines.filter { $0.hasPrefix("c") } == stale)
    }

    @Test("The terminal event ends the subscription to the source", arguments: forms)
    func end(_ replay: Int, _ scope: SubjectLifetimeScope) {
        let subject = PublishSubject<Int>()
        let census = Census()
        let log = EventLog()
        let shared = census.count(subject).share(replay: replay, scope: scope)
        let subscription = log.observe(shared, "a ")
        subject.onNext(1)
        subject.onError(NumberedFailure(1))
        #expect(census.ended == 1)
        _ = log.observe(shared, "b ")
        let late = scope == .forever ? (replay > 0 ? ["b 1"] : []) + ["b error(1)"] : ["b error(1)"]
        #expect(log.lines == ["a 1", "a error(1)"] + late)
        #expect(census.subscribed == (scope == .forever ? 1 : 2))
        subscription.dispose()
    }

    @Test("A source that ends while it is subscribed to is subscribed to anew or replayed", arguments: forms)
    func endsInConnect(_ replay: Int, _ scope: SubjectLifetimeScope) {
        let census = Census()
        let log = EventLog()
        let shared = census.count(Observable.just(1)).share(replay: replay, scope: scope)
        _ = log.observe(shared)
        _ = log.observe(shared)
        let second = scope == .whileConnected || replay > 0 ? ["1", "completed"] : ["completed"]
        #expect(log.lines == ["1", "completed"] + second)
        #expect(census.subscribed == (scope == .forever ? 1 : 2))
        #expect(census.ended == census.subscribed)
    }

    @Test("A subscriber may leave while the source is subscribed to", arguments: forms)
    func leavesInConnect(_ replay: Int, _ scope: SubjectLifetimeScope) {
        let census = Census()
        let log = EventLog()
        let endless = Observable<Int>.create { observer in
            for number in 1...4 { observer.onNext(number) }
            return Disposables.create()
        }
        let shared = census.count(endless).share(replay: replay, scope: scope)
        _ = log.observe(shared.take(2))
        #expect(log.lines == ["1", "2", "completed"])
        #expect(census.subscribed == 1 && census.ended == 1)
        _ = log.observe(shared.take(2))
        #expect(census.subscribed == 2 || scope == .forever)
    }

    @Test("A subscription inside the terminal event starts anew") func resubscription() {
        let census = Census()
        let log = EventLog()
        var rounds = 0
        let shared = census.count(Observable.just(1)).share(replay: 1)
        func again() {
            rounds += 1
            _ = log.observe(shared, "\(rounds) ") { if $0.isCompleted, rounds < 3 { again2() } }
        }
        func again2() {
            rounds += 1
            let inner = EventLog()
            _ = inner.observe(shared, "\(rounds) ")
            inner.lines.forEach(log.note)
        }
        again()
        #expect(log.lines == ["1 1", "1 completed", "2 1", "2 completed"])
        #expect(census.subscribed == 2 && census.ended == 2)
    }

    @Test("A subscriber that comes while the source is subscribed to joins") func joinsInConnect() {
        let census = Census()
        let log = EventLog()
        let source = Observable<Int>.create { observer in
            for number in 1...3 { observer.onNext(number) }
            observer.onCompleted()
            return Disposables.create()
        }
        let shared = census.count(source).share(replay: 1)
        _ = log.observe(shared, "a ") { if $0.element == 1 { _ = log.observe(shared, "b ") } }
        #expect(
            log.lines == ["a 1", "b 1", "a 2", "b 2", "a 3", "b 3", "a completed", "b completed"])
        #expect(census.subscribed == 1)
    }

    @Test("Completion and disposal release the subscriber, the element and the share", arguments: forms, [true, false])
    func release(form: (replay: Int, scope: SubjectLifetimeScope), completes: Bool) {
        weak var token: ReleaseToken?
        weak var element: ReleaseToken?
        weak var weakShared: Observable<ReleaseToken>?
        let subject = PublishSubject<ReleaseToken>()
        do {
            let strong = ReleaseToken()
            let strongElement = ReleaseToken()
            token = strong
            element = strongElement
            let shared = subject.share(replay: form.replay, scope: form.scope)
            weakShared = shared
            let subscription = shared.subscribe(onNext: { _ in _ = strong })
            subject.onNext(strongElement)
            if completes { subject.onCompleted() } else { subscription.dispose() }
        }
        #expect(token == nil)
        #expect(element == nil)
        #expect(weakShared == nil)
    }

    /// Races subscribers with each other and with an emitter.
    @Test("Subscribers that race share one subscription to the source", arguments: forms)
    func subscriberRace(_ replay: Int, _ scope: SubjectLifetimeScope) {
        let subject = PublishSubject<Int>()
        let shared = subject.share(replay: replay, scope: scope)
        let overlaps = EventLog()
        race(
            { for number in 0..<3_000 { subject.onNext(number) } },
            {
                for _ in 0..<1_000 {
                    let log = EventLog()
                    log.observe(shared).dispose()
                    let numbers = log.lines.map { Int($0)! }
                    if log.hasOverlapped || numbers != Array(Set(numbers)).sorted() { overlaps.note("\(numbers)") }
                }
            },
            { for _ in 0..<1_000 { shared.subscribe { _ in }.dispose() } })
        #expect(overlaps.lines == [])
        #expect(!subject.hasObservers)
        let log = EventLog()
        let last = log.observe(shared)
        subject.onNext(-1)
        #expect(log.lines.last == "-1")
        last.dispose()
        #expect(!subject.hasObservers)
    }

    /// The fault: the connection ended with the last subscribers, which left from inside the replay of one of them.
    @Test("A subscriber counts until its replay is over") func leavingInReplay() {
        let (subject, census, log) = (PublishSubject<Int>(), Census(), EventLog())
        let shared = census.count(subject).share(replay: 1)
        let subscription = shared.flatMap { _ in shared }.take(1).concat(shared).subscribe { log.note("\($0)") }
        subject.onNext(1)
        #expect(census.subscribed == 1)
        subject.onNext(2)
        #expect(log.lines == ["next(1)", "next(1)", "next(2)"])
        subscription.dispose()
        #expect((census.subscribed, census.ended) == (1, 1))
    }

    @Test(
        "A subscriber that leaves in its replay, after all others have, ends the connection", arguments: [false, true])
    func lastToLeaveInReplay(_ comesAgain: Bool) {
        let (subject, census, log) = (PublishSubject<Int>(), Census(), EventLog())
        let shared = census.count(subject).share(replay: 1)
        let first = shared.subscribe()
        subject.onNext(1)
        let again = SerialDisposable()
        let late = shared.take(1).subscribe(onCompleted: {
            first.dispose()
            if comesAgain { again.disposable = shared.subscribe { log.note("\($0)") } }
            #expect(census.ended == 0)
        })
        #expect(log.lines == (comesAgain ? ["next(1)"] : []))
        #expect((census.subscribed, census.ended) == (1, comesAgain ? 0 : 1))
        again.dispose()
        #expect(census.ended == 1)
        late.dispose()
    }
}
