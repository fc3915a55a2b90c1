// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct PublishSubjectTests {
    @Test("A subscriber receives the events that follow its subscription") func laterElements() {
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

    @Test("Late subscribers receive the error again") func lateSubscribers() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        subject.onError(NumberedFailure(1))
        subject.onCompleted()
        _ = log.observe(subject)
        #expect(log.lines == ["error(1)"])
    }

    @Test("hasObservers tells whether the subject has subscribers") func hasObservers() {
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

    /// As in RxSwift.
    @Test("The first terminal event behind dispose is for those that subscribe behind it") func endBehindDispose() {
        for isEndedBefore in [false, true] {
            let subject = PublishSubject<Int>()
            let log = EventLog()
            if isEndedBefore { subject.onError(NumberedFailure(1)) }
            subject.dispose()
            _ = log.observe(subject.catch { _ in .just(0) }, "a ")
            subject.onNext(2)
            subject.onError(NumberedFailure(3))
            subject.onCompleted()
            _ = log.observe(subject, "b ")
            #expect(log.lines == ["a 0", "a completed", "b error(3)"])
        }
        let subject = PublishSubject<Int>()
        let log = EventLog()
        subject.dispose()
        subject.onError(NumberedFailure(1))
        subject.dispose()
        _ = log.observe(subject.catch { _ in .just(0) }, "a ")
        subject.onCompleted()
        _ = log.observe(subject, "b ")
        #expect(log.lines == ["a 0", "a completed", "b completed"])
    }

    @Test("dispose drops the subscribers without an event") func dispose() {
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

    @Test("Late subscribers notice a dispose after the completion") func disposeAfterCompletion() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        subject.onCompleted()
        subject.dispose()
        _ = log.observe(subject)
        #expect(log.lines == ["error(disposed)"])
    }

    @Test("Subscribers are called in the order of subscription") func subscriptionOrder() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        var subscriptions = (0..<40).map { log.observe(subject, "\($0) ") }
        subscriptions.remove(at: 3).dispose()
        subscriptions.append(log.observe(subject, "40 "))
        subject.onNext(1)
        #expect(log.lines == (0...40).filter { $0 != 3 }.map { "\($0) 1" })
        for subscription in subscriptions { subscription.dispose() }
    }

    /// This is law L3: no nested delivery.
    @Test("An event emitted in a callback follows it and reaches all in one order") func eventInCallback() {
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

    @Test("A backlog that grows during its delivery keeps its order") func growingBacklog() {
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

    /// This is law L5: no event after dispose.
    @Test("A subscriber disposed of by an earlier one misses that event") func disposedByEarlier() {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let later = SerialDisposable()
        _ = log.observe(subject, "a ") { _ in later.dispose() }
        later.disposable = log.observe(subject, "b ")
        _ = log.observe(subject, "c ")
        subject.onNext(1)
        #expect(log.lines == ["a 1", "c 1"])
    }

    @Test("A subscriber may dispose of itself") func selfDisposal() {
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

    @Test("A late subscriber in a callback receives the events delivered after that") func lateSubscriberInCallback() {
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

    @Test("The subject releases its observers however it ends", arguments: SubjectEnd.allCases)
    func release(end: SubjectEnd) {
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
        case .completion: subject!.onCompleted()
        case .disposalOfSubscription: subscription.dispose()
        case .disposalOfSubject: subject!.dispose()
        case .release: subject = nil
        }
        #expect(token == nil)
        withExtendedLifetime((subject, subscription)) {}
    }

    @Test("A subject releases the chains below it without a dispose") func releasedChain() {
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
    @Test("The release of a subject may race with dispose") func releaseRace() {
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

    @Test("Events emitted before the release of the subject still arrive") func eventsBeforeRelease() {
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

    @Test("A disposed subscription releases its pending elements") func droppedElements() {
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

    @Test("Emitters and subscribers may race") func emitterRace() {
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

    @Test("A terminal event may race with subscribers") func terminalEventRace() {
        for _ in 0..<500 {
            let subject = PublishSubject<Int>()
            let log = EventLog()
            race({ subject.onCompleted() }, { _ = log.observe(subject) })
            #expect(log.lines == ["completed"])
        }
    }
}
