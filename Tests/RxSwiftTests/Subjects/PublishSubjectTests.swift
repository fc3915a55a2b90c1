import RxSwift
import TestSupport
import Testing

@Suite struct PublishSubjectTests {
    @Test func everySubscriberGetsWhatComesAfterItSubscribed() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        subject.onNext(0)
        _ = log.observe(subject, "a ")
        subject.onNext(1)
        _ = log.observe(subject, "b ")
        subject.onNext(2)
        subject.onCompleted()
        subject.onNext(3)
        _ = log.observe(subject, "c ")
        #expect(log.lines == ["a 1", "a 2", "b 2", "a completed", "b completed", "c completed"])
    }

    @Test func theErrorIsRepeatedToLateSubscribers() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        subject.onError(NumberedFailure(1))
        subject.onCompleted()
        _ = log.observe(subject)
        #expect(log.lines == ["error(1)"])
    }

    @Test func hasObserversTellsWhetherSomebodyIsSubscribed() {
        let subject = PublishSubject<Int>()
        #expect(!subject.hasObservers)
        let first = subject.subscribe { _ in }
        let second = subject.subscribe { _ in }
        first.dispose()
        #expect(subject.hasObservers)
        second.dispose()
        second.dispose()
        #expect(!subject.hasObservers)
        _ = subject.subscribe { _ in }
        #expect(subject.hasObservers)
        subject.onCompleted()
        #expect(!subject.hasObservers)
    }

    @Test func disposeDropsSubscribersWithoutAnEvent() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        _ = log.observe(subject)
        subject.dispose()
        subject.onNext(1)
        #expect(subject.isDisposed)
        #expect(log.lines == [])
        _ = log.observe(subject)
        #expect(log.lines == ["error(disposed)"])
    }

    @Test func disposeAfterCompletionShowsToLateSubscribers() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        subject.onCompleted()
        subject.dispose()
        _ = log.observe(subject)
        #expect(log.lines == ["error(disposed)"])
    }

    @Test func subscribersAreCalledInOrderOfSubscriptionAlways() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        var subscriptions = (0..<40).map { log.observe(subject, "\($0) ") }
        subscriptions.remove(at: 3).dispose()
        subscriptions.append(log.observe(subject, "40 "))
        subject.onNext(1)
        #expect(log.lines == (0...40).filter { $0 != 3 }.map { "\($0) 1" })
        for subscription in subscriptions { subscription.dispose() }
    }

    /// Law L3.
    @Test func anEventEmittedInACallbackIsDeliveredAfterItToAllInOneOrder() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        _ = log.observe(subject, "a ") {
            if $0.element == 1 {
                subject.onNext(2)
                subject.onCompleted()
                subject.onNext(9)
            }
        }
        _ = log.observe(subject, "b ")
        subject.onNext(1)
        #expect(log.lines == ["a 1", "b 1", "a 2", "b 2", "a completed", "b completed"])
    }

    @Test func aBacklogThatGrowsWhileItIsDeliveredKeepsItsOrder() {
        let subject = PublishSubject<Int>()
        var received: [Int] = []
        let count = 50_000
        _ = subject.subscribe(onNext: { number in
            received.append(number)
            if number == 0 { for next in 1...count { subject.onNext(next) } }
            if (1...count).contains(number) { subject.onNext(count + number) }
        })
        subject.onNext(0)
        #expect(received == Array(0...2 * count))
    }

    /// Law L5.
    @Test func aSubscriberDisposedByAnEarlierOneGetsNothingOfThatEvent() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let later = SerialDisposable()
        _ = log.observe(subject, "a ") { _ in later.dispose() }
        later.disposable = log.observe(subject, "b ")
        _ = log.observe(subject, "c ")
        subject.onNext(1)
        #expect(log.lines == ["a 1", "c 1"])
    }

    @Test func aSubscriberMayDisposeOfItself() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let own = SerialDisposable()
        own.disposable = log.observe(subject) { _ in
            own.dispose()
            subject.onNext(2)
        }
        subject.onNext(1)
        #expect(log.lines == ["1"])
        #expect(!subject.hasObservers)
    }

    @Test func aNewcomerSubscribedInACallbackSeesWhatIsDeliveredAfterThat() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        _ = log.observe(subject, "a ") { event in
            guard event.element == 1 else { return }
            subject.onNext(2)
            _ = log.observe(subject, "b ")
        }
        subject.onNext(1)
        #expect(log.lines == ["a 1", "a 2", "b 2"])
    }

    @Test func aSubscriptionThatJoinedBeforeItsTurnGetsTheTerminalEventOnce() {
        let core = SubjectCore<Int>(name: "test")
        let log = EventLog()
        // Sinks that do not cancel their link at the terminal event.
        let newcomer = HandlerSink<Int> { log.note("newcomer \($0)") }
        let first = HandlerSink<Int> { event in
            log.note("first \(event)")
            guard case .next = event else { return }
            core.end(.completed)
            // As by a thread which saw the subject open just before.
            core.add(SubjectSubscription.make(core: core, downstream: newcomer))
        }
        core.add(SubjectSubscription.make(core: core, downstream: first))
        core.next(1)
        #expect(log.lines.filter { $0 == "first completed" }.count == 1)
        #expect(log.lines.filter { $0 == "newcomer completed" }.count == 1)
    }

    @Test func everythingIsReleased() {
        for end in 0..<4 {
            weak var token: ReleaseToken?
            var subject: PublishSubject<Int>? = PublishSubject()
            let subscription: any Disposable
            do {
                let strong = ReleaseToken()
                token = strong
                subscription = subject!.subscribe(onNext: { _ in _ = strong })
            }
            #expect(token != nil)
            switch end {
            case 0: subject!.onCompleted()
            case 1: subscription.dispose()
            case 2: subject!.dispose()
            default: subject = nil
            }
            #expect(token == nil, "\(end)")
            withExtendedLifetime((subject, subscription)) {}
        }
    }

    @Test func aChainIsReleasedWithItsSubjectThoughItWasNeverDisposedOf() {
        weak var token: ReleaseToken?
        var subject: PublishSubject<Int>? = PublishSubject()
        var isDisposedOf = false
        let kept: any Disposable
        do {
            let strong = ReleaseToken()
            token = strong
            kept = subject!.map { $0 + 1 }.filter { $0 > strong.number }.subscribe(
                onNext: { _ in _ = strong }, onDisposed: { isDisposedOf = true })
            _ = subject!.map { $0 + strong.number }.take(3).distinctUntilChanged().subscribe { _ in _ = strong }
        }
        #expect(token != nil)
        subject = nil
        #expect(token == nil)
        #expect(!isDisposedOf)
        kept.dispose()
        #expect(isDisposedOf)
    }

    /// Races the release of the subject, which takes the chain apart from above, with a dispose from below.
    @Test func theReleaseOfASubjectMayRaceWithDispose() {
        for _ in 0..<300 {
            weak var token: ReleaseToken?
            nonisolated(unsafe) var subject: PublishSubject<Int>? = PublishSubject()
            nonisolated(unsafe) var disposals = 0
            let kept: any Disposable
            do {
                let strong = ReleaseToken()
                token = strong
                kept = subject!.map { $0 + strong.number }.filter { $0 > 0 }.subscribe(
                    onNext: { _ in _ = strong }, onDisposed: { disposals += 1 })
            }
            race({ subject = nil }, { kept.dispose() })
            #expect(token == nil)
            #expect(disposals == 1)
        }
    }

    @Test func whatWasEmittedBeforeTheSubjectIsReleasedStillComes() {
        var subject: PublishSubject<Int>? = PublishSubject()
        let log = EventLog()
        _ = log.observe(subject!.map { $0 * 10 }) { event in
            guard event.element == 10 else { return }
            subject!.onNext(2)
            subject = nil
        }
        subject!.onNext(1)
        #expect(log.lines == ["10", "20"])
        #expect(subject == nil)
    }

    @Test func elementsLeftBehindAreReleased() {
        weak var token: ReleaseToken?
        let subject = PublishSubject<ReleaseToken>()
        let subscription = SerialDisposable()
        subscription.disposable = subject.subscribe(onNext: { _ in
            let strong = ReleaseToken()
            token = strong
            subject.onNext(strong)
            subscription.dispose()
        })
        subject.onNext(ReleaseToken())
        #expect(token == nil)
    }

    @Test func emittersAndSubscribersMayRace() {
        for _ in 0..<6 {
            let subject = PublishSubject<Int>()
            let log = EventLog()
            let count = 2_000
            _ = log.observe(subject)
            race(
                { for number in 0..<count { subject.onNext(number) } },
                { for number in 0..<count { subject.onNext(number + count) } },
                {
                    for _ in 0..<count / 4 {
                        let churn = EventLog()
                        let subscription = churn.observe(subject)
                        subscription.dispose()
                        if churn.hasOverlapped { log.note("overlap") }
                    }
                })
            subject.onCompleted()
            #expect(settles { log.lines.last == "completed" })
            let received = log.lines.dropLast().map { Int($0)! }
            #expect(!log.hasOverlapped)
            #expect(received.filter { $0 < count } == Array(0..<count))
            #expect(received.filter { $0 >= count } == Array(count..<2 * count))
        }
    }

    @Test func theTerminalEventMayRaceWithSubscribers() {
        for _ in 0..<500 {
            let subject = PublishSubject<Int>()
            let log = EventLog()
            race({ subject.onCompleted() }, { _ = log.observe(subject) })
            #expect(log.lines == ["completed"])
        }
    }
}
