// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct ReplaySubjectTests {
    /// Makes an unbounded subject for `Int.max`.
    private func make<Element>(bufferSize: Int) -> ReplaySubject<Element> {
        bufferSize == .max ? .createUnbounded() : .create(bufferSize: bufferSize)
    }

    @Test(
        "A late subscriber receives the last elements",
        arguments: [
            (0, [String]()), (1, ["5"]), (2, ["4", "5"]), (3, ["3", "4", "5"]), (8, ["1", "2", "3", "4", "5"]),
        ])
    func lastElements(_ bufferSize: Int, _ expected: [String]) {
        let subject = ReplaySubject<Int>.create(bufferSize: bufferSize)
        let log = EventLog()
        for number in 1...5 { subject.onNext(number) }
        _ = log.observe(subject)
        #expect(log.lines == expected)
        subject.onNext(6)
        subject.onCompleted()
        #expect(log.lines == expected + ["6", "completed"])
    }

    @Test("An unbounded subject repeats all elements") func unbounded() {
        let subject = ReplaySubject<Int>.createUnbounded()
        let log = EventLog()
        let count = 20_000
        for number in 0..<count { subject.onNext(number) }
        _ = log.observe(subject)
        #expect(log.lines == (0..<count).map { "\($0)" })
    }

    @Test("A negative buffer size stops the program") func negativeSize() async {
        await #expect(processExitsWith: .failure) { _ = ReplaySubject<Int>.create(bufferSize: -1) }
    }

    @Test("An enormous buffer size costs nothing") func enormousBuffer() {
        let subject = ReplaySubject<Int>.create(bufferSize: .max)
        let log = EventLog()
        for number in 0..<100 { subject.onNext(number) }
        _ = log.observe(subject)
        #expect(log.lines.count == 100)
    }

    @Test("Late subscribers receive the buffer and the terminal event", arguments: [1, 2, .max])
    func lateSubscribers(bufferSize: Int) {
        let subject: ReplaySubject<Int> = make(bufferSize: bufferSize)
        let log = EventLog()
        subject.onNext(1)
        subject.onError(NumberedFailure(1))
        subject.onNext(2)
        _ = log.observe(subject)
        _ = log.observe(subject)
        #expect(log.lines == ["1", "error(1)", "1", "error(1)"])
    }

    @Test("dispose drops the subscribers and the buffer", arguments: [1, 2, .max]) func dispose(bufferSize: Int) {
        let subject: ReplaySubject<ReleaseToken> = make(bufferSize: bufferSize)
        let log = EventLog()
        var released = 0
        subject.onNext(ReleaseToken(1, onRelease: { released += 1 }))
        _ = log.observe(subject)
        subject.dispose()
        #expect(released == 1)
        subject.onNext(ReleaseToken(2))
        #expect(!subject.hasObservers)
        _ = log.observe(subject)
        #expect(log.lines == ["1", "error(disposed)"])
    }

    @Test("The subject releases a forgotten element at once") func forgottenElement() {
        var released: [Int] = []
        let subject = ReplaySubject<ReleaseToken>.create(bufferSize: 2)
        for number in 1...4 { subject.onNext(ReleaseToken(number, onRelease: { released.append(number) })) }
        #expect(released == [1, 2])
    }

    @Test("The replay ends when the late subscriber disposes", arguments: [false, true])
    func satisfiedLateSubscriber(isOver: Bool) {
        let subject = ReplaySubject<Int>.createUnbounded()
        let log = EventLog()
        for number in 1...5 { subject.onNext(number) }
        if isOver { subject.onCompleted() }
        let own = SingleAssignmentDisposable()
        // The subscription is not known yet when the replay runs: a filter above disposes by way of its source's chain.
        own.setDisposable(log.observe(subject.take(2)) { _ in })
        #expect(log.lines == ["1", "2", "completed"])
        #expect(!subject.hasObservers)
    }

    @Test("A late subscriber in a callback receives the accepted elements at once and nothing twice")
    func lateSubscriberInCallback() {
        let subject = ReplaySubject<Int>.create(bufferSize: 2)
        let log = EventLog()
        _ = log.observe(subject, "a ") { event in
            guard event.element == 1 else { return }
            subject.onNext(2)
            subject.onNext(3)
            _ = log.observe(subject, "b ") { event in
                if event.element == 2 { subject.onNext(4) }
            }
            log.note("-")
        }
        subject.onNext(1)
        #expect(log.lines == ["a 1", "b 2", "b 3", "-", "a 2", "a 3", "a 4", "b 4"])
    }

    @Test("A terminal event queued in a callback reaches late subscribers at once") func endInCallback() {
        let subject = ReplaySubject<Int>.create(bufferSize: 1)
        let log = EventLog()
        _ = log.observe(subject, "a ") { event in
            guard event.element == 1 else { return }
            subject.onCompleted()
            _ = log.observe(subject, "b ")
            log.note("-")
        }
        subject.onNext(1)
        #expect(log.lines == ["a 1", "b 1", "b completed", "-", "a completed"])
    }

    @Test("The subject releases its observers and elements however it ends", arguments: SubjectEnd.allCases)
    func release(end: SubjectEnd) {
        weak var token: ReleaseToken?
        weak var element: ReleaseToken?
        var subject: ReplaySubject<ReleaseToken>? = end == .completion ? .createUnbounded() : .create(bufferSize: 2)
        let subscription: any Disposable
        do {
            let strong = ReleaseToken()
            let strongElement = ReleaseToken()
            token = strong
            element = strongElement
            subject!.onNext(strongElement)
            subscription = subject!.subscribe(onNext: { _ in _ = strong })
        }
        switch end {
        case .completion: subject!.onCompleted()
        case .disposalOfSubscription: subscription.dispose()
        case .disposalOfSubject: subject!.dispose()
        case .release: subject = nil
        }
        #expect(token == nil)
        subject = nil
        #expect(element == nil)
        withExtendedLifetime(subscription) {}
    }

    @Test("Replay and live events join without gap or repetition", arguments: [1, 3, 100, Int.max])
    func contiguousSuffix(_ bufferSize: Int) {
        for _ in 0..<4 {
            let subject: ReplaySubject<Int> = make(bufferSize: bufferSize)
            let count = 2_000
            let logs = (0..<20).map { _ in EventLog() }
            subject.onNext(0)
            race(
                { for number in 1...count { subject.onNext(number) } },
                { for log in logs { _ = log.observe(subject) } })
            subject.onCompleted()
            for log in logs {
                #expect(!log.hasOverlapped)
                #expect(log.lines.last == "completed")
                let numbers = log.lines.dropLast().map { Int($0)! }
                #expect(numbers == Array(numbers[0]...count))
                if bufferSize == .max { #expect(numbers[0] == 0) }
            }
        }
    }
}
