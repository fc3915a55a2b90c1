// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct BehaviorSubjectTests {
    @Test("A late subscriber receives the value inside subscribe") func valueInsideSubscribe() {
        let subject = BehaviorSubject(value: 0)
        let log = EventLog()
        _ = log.observe(subject, "a ")
        log.note("-")
        subject.onNext(1)
        _ = log.observe(subject, "b ")
        log.note("-")
        subject.onNext(2)
        #expect(log.lines == ["a 0", "-", "a 1", "b 1", "-", "a 2", "b 2"])
    }

    @Test("After the terminal event a late subscriber receives only that event") func lateSubscriberAfterEnd() {
        let completed = BehaviorSubject(value: 0)
        let failed = BehaviorSubject(value: 0)
        let log = EventLog()
        completed.onCompleted()
        completed.onNext(1)
        failed.onError(NumberedFailure(1))
        _ = log.observe(completed)
        _ = log.observe(failed)
        #expect(log.lines == ["completed", "error(1)"])
    }

    @Test("value() is the last accepted element") func lastValue() throws {
        let subject = BehaviorSubject(value: 0)
        #expect(try subject.value() == 0)
        subject.onNext(1)
        subject.onCompleted()
        #expect(try subject.value() == 1)
        let failed = BehaviorSubject(value: 0)
        failed.onError(NumberedFailure(1))
        #expect(throws: NumberedFailure(1)) { try failed.value() }
    }

    @Test("The value changes before the delivery") func valueBeforeDelivery() {
        let subject = BehaviorSubject(value: 0)
        let log = EventLog()
        _ = log.observe(subject) { event in
            guard event.element == 1 else { return }
            subject.onNext(2)
            log.note("value \(try! subject.value())")
        }
        subject.onNext(1)
        #expect(log.lines == ["0", "1", "value 2", "2"])
    }

    @Test("dispose drops the subscribers and the value") func dispose() {
        let subject = BehaviorSubject(value: 0)
        let log = EventLog()
        _ = log.observe(subject)
        subject.dispose()
        subject.onNext(1)
        #expect(subject.isDisposed && !subject.hasObservers)
        #expect(throws: RxError.self) { try subject.value() }
        _ = log.observe(subject)
        #expect(log.lines == ["0", "error(disposed)"])
        subject.dispose()
    }

    @Test("Late subscribers notice a dispose after the end") func disposeAfterEnd() {
        let subject = BehaviorSubject(value: 0)
        let log = EventLog()
        subject.onError(NumberedFailure(1))
        subject.dispose()
        _ = log.observe(subject)
        #expect(log.lines == ["error(disposed)"])
        #expect(throws: RxError.self) { try subject.value() }
    }

    /// Law L3, and the late subscriber's rules of acceptance.
    @Test("A late subscriber in a callback receives the accepted value at once and nothing twice")
    func lateSubscriberInCallback() {
        let subject = BehaviorSubject(value: 0)
        let log = EventLog()
        _ = log.observe(subject, "a ") { event in
            guard event.element == 1 else { return }
            subject.onNext(2)
            _ = log.observe(subject, "b ")
            log.note("-")
            subject.onNext(3)
        }
        subject.onNext(1)
        subject.onNext(4)
        #expect(log.lines == ["a 0", "a 1", "b 2", "-", "a 2", "a 3", "b 3", "a 4", "b 4"])
    }

    @Test("An event emitted during the replay follows it") func eventDuringReplay() {
        let subject = BehaviorSubject(value: 0)
        let log = EventLog()
        _ = log.observe(subject, "a ")
        _ = log.observe(subject, "b ") { event in
            if event.element == 0 {
                subject.onNext(1)
                log.note("-")
            }
        }
        #expect(log.lines == ["a 0", "b 0", "-", "a 1", "b 1"])
    }

    @Test("An event emitted during a replay in a callback follows the replay") func eventDuringNestedReplay() {
        let subject = BehaviorSubject(value: 0)
        let log = EventLog()
        _ = log.observe(subject, "a ") { event in
            guard event.element == 1 else { return }
            _ = log.observe(subject, "b ") { event in
                if event.element == 1 {
                    subject.onNext(2)
                    subject.onCompleted()
                    log.note("-")
                }
            }
        }
        subject.onNext(1)
        #expect(log.lines == ["a 0", "a 1", "b 1", "-", "a 2", "b 2", "a completed", "b completed"])
    }

    @Test("A late subscriber that disposes at the value leaves the subject") func satisfiedLateSubscriber() {
        let subject = BehaviorSubject(value: 0)
        let log = EventLog()
        let own = SingleAssignmentDisposable()
        own.setDisposable(log.observe(subject) { _ in own.dispose() })
        subject.onNext(1)
        #expect(log.lines == ["0"])
        #expect(!subject.hasObservers)
    }

    @Test("The subject releases its value at its replacement") func replacedValue() {
        var released: [Int] = []
        let subject = BehaviorSubject(value: ReleaseToken(0, onRelease: { released.append(0) }))
        subject.onNext(ReleaseToken(1, onRelease: { released.append(1) }))
        #expect(released == [0])
        subject.dispose()
        #expect(released == [0, 1])
    }

    @Test("The deinit of a value may use the subject") func releaseUsesSubject() {
        var values: [Int] = []
        var subject: BehaviorSubject<ReleaseToken>!
        subject = BehaviorSubject(
            value: ReleaseToken(
                0,
                onRelease: {
                    values.append(try! subject.value().number)
                    subject.onNext(ReleaseToken(2))
                }))
        subject.onNext(ReleaseToken(1))
        #expect(values == [1])
        let number = try! subject.value().number
        #expect(number == 2)
    }

    @Test("The subject releases its observers however it ends", arguments: SubjectEnd.allCases)
    func release(end: SubjectEnd) {
        weak var token: ReleaseToken?
        var subject: BehaviorSubject<Int>? = BehaviorSubject(value: 0)
        let subscription: any Disposable
        do {
            let strong = ReleaseToken()
            token = strong
            subscription = subject!.subscribe(onNext: { _ in _ = strong })
        }
        switch end {
        case .completion: subject!.onCompleted()
        case .disposalOfSubscription: subscription.dispose()
        case .disposalOfSubject: subject!.dispose()
        case .release: subject = nil
        }
        #expect(token == nil)
        withExtendedLifetime((subject, subscription)) {}
    }

    /// Races late subscribers with an emitter: replay and live events join without gap or repetition.
    @Test("Replay and live events join without gap or repetition") func contiguousSuffix() {
        for _ in 0..<6 {
            let subject = BehaviorSubject(value: 0)
            let count = 3_000
            let logs = (0..<20).map { _ in EventLog() }
            race(
                { for number in 1...count { subject.onNext(number) } },
                { for log in logs { _ = log.observe(subject) } })
            subject.onCompleted()
            for log in logs {
                #expect(!log.hasOverlapped)
                #expect(log.lines.last == "completed")
                let numbers = log.lines.dropLast().map { Int($0)! }
                #expect(numbers == Array(numbers[0]...count))
            }
        }
    }

    @Test("The value never goes back, and the last delivered element is the value") func valueOrder() throws {
        for _ in 0..<6 {
            let subject = BehaviorSubject(value: 0)
            let log = EventLog()
            _ = log.observe(subject)
            race(
                { for number in 1...2_000 { subject.onNext(number) } },
                { for number in 1...2_000 { subject.onNext(-number) } },
                {
                    for _ in 0..<500 {
                        let churn = EventLog()
                        churn.observe(subject).dispose()
                        if churn.lines.isEmpty { log.note("nothing") }
                        _ = try! subject.value()
                    }
                })
            #expect(!log.hasOverlapped)
            let value = try subject.value()
            #expect(settles { log.lines.last == "\(value)" })
            let numbers = log.lines.map { Int($0)! }
            #expect(numbers.filter { $0 > 0 } == Array(1...2_000))
            #expect(numbers.filter { $0 < 0 } == (1...2_000).map { -$0 })
        }
    }

    @Test("dispose may race with all other calls") func disposeRace() {
        for _ in 0..<300 {
            let subject = BehaviorSubject(value: ReleaseToken())
            race(
                { subject.dispose() },
                { for _ in 0..<10 { subject.onNext(ReleaseToken()) } },
                { for _ in 0..<10 { subject.subscribe { _ in }.dispose() } },
                { _ = try? subject.value() })
            #expect(subject.isDisposed)
        }
    }
}
