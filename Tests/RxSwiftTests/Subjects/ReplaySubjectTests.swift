import RxSwift
import TestSupport
import Testing

@Suite struct ReplaySubjectTests {
    @Test(arguments: [
        (0, [String]()), (1, ["5"]), (2, ["4", "5"]), (3, ["3", "4", "5"]), (8, ["1", "2", "3", "4", "5"]),
    ])
    func aNewcomerGetsTheLastElements(_ bufferSize: Int, _ expected: [String]) {
        let subject = ReplaySubject<Int>.create(bufferSize: bufferSize)
        let log = EventLog()
        for number in 1...5 { subject.onNext(number) }
        _ = log.observe(subject)
        #expect(log.lines == expected)
        subject.onNext(6)
        subject.onCompleted()
        #expect(log.lines == expected + ["6", "completed"])
    }

    @Test func anUnboundedOneRepeatsAll() {
        let subject = ReplaySubject<Int>.createUnbounded()
        let log = EventLog()
        let count = 20_000
        for number in 0..<count { subject.onNext(number) }
        _ = log.observe(subject)
        #expect(log.lines == (0..<count).map { "\($0)" })
    }

    @Test func anEnormousBufferSizeCostsNothing() {
        let subject = ReplaySubject<Int>.create(bufferSize: .max)
        let log = EventLog()
        for number in 0..<100 { subject.onNext(number) }
        _ = log.observe(subject)
        #expect(log.lines.count == 100)
    }

    @Test func lateSubscribersGetTheBufferAndTheTerminalEvent() {
        for subject in [ReplaySubject<Int>.create(bufferSize: 1), .create(bufferSize: 2), .createUnbounded()] {
            let log = EventLog()
            subject.onNext(1)
            subject.onError(NumberedFailure(1))
            subject.onNext(2)
            _ = log.observe(subject)
            _ = log.observe(subject)
            #expect(log.lines == ["1", "error(1)", "1", "error(1)"])
        }
    }

    @Test func disposeDropsSubscribersAndBuffer() {
        for subject in [ReplaySubject<ReleaseToken>.create(bufferSize: 1), .create(bufferSize: 2), .createUnbounded()] {
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
    }

    @Test func aForgottenElementIsReleasedAtOnce() {
        var released: [Int] = []
        let subject = ReplaySubject<ReleaseToken>.create(bufferSize: 2)
        for number in 1...4 { subject.onNext(ReleaseToken(number, onRelease: { released.append(number) })) }
        #expect(released == [1, 2])
    }

    @Test func theReplayEndsWhenTheNewcomerDisposes() {
        for isOver in [false, true] {
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
    }

    @Test func aNewcomerSubscribedInACallbackGetsTheAcceptedElementsAtOnceAndNothingTwice() {
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

    @Test func aTerminalEventQueuedInACallbackReachesNewcomersAtOnce() {
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

    @Test func everythingIsReleased() {
        for end in 0..<4 {
            weak var token: ReleaseToken?
            weak var element: ReleaseToken?
            var subject: ReplaySubject<ReleaseToken>? = end == 0 ? .createUnbounded() : .create(bufferSize: 2)
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
            case 0: subject!.onCompleted()
            case 1: subscription.dispose()
            case 2: subject!.dispose()
            default: subject = nil
            }
            #expect(token == nil, "\(end)")
            subject = nil
            #expect(element == nil, "\(end)")
            withExtendedLifetime(subscription) {}
        }
    }

    @Test(arguments: [1, 3, 100, Int.max])
    func aNewcomerSeesAContiguousSuffix(_ bufferSize: Int) {
        for _ in 0..<4 {
            let subject: ReplaySubject<Int> =
                bufferSize == .max ? .createUnbounded() : .create(bufferSize: bufferSize)
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
