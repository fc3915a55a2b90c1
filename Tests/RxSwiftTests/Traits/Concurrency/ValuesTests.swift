import RxSwift
import TestSupport
import Testing

@Suite struct ValuesTests {
    /// What an iteration saw, and how it ended.
    private func text(of stream: AsyncThrowingStream<Int, any Error>) async -> String {
        var seen: [String] = []
        do {
            for try await element in stream { seen.append("\(element)") }
            seen.append("end")
        } catch is CancellationError {
            seen.append("cancelled")
        } catch {
            seen.append("\(error)")
        }
        return seen.joined(separator: " ")
    }

    private func text(of stream: AsyncStream<Int>) async -> String {
        var seen: [String] = []
        for await element in stream { seen.append("\(element)") }
        return (seen + ["end"]).joined(separator: " ")
    }

    @Test(arguments: [
        (sequence(1, 2, 3), "1 2 3 end"), (sequence(1, error: .expected), "1 expected"), (.empty(), "end"),
        (.error(Failure.other), "other"),
    ])
    func anIterationSeesTheEvents(source: Observable<Int>, expected: String) async {
        #expect(await text(of: source.values) == expected)
    }

    @Test func readingThePropertySubscribes() async {
        let subject = PublishSubject<Int>()
        let stream = subject.values
        #expect(subject.hasObservers)
        // Elements wait until they are asked for.
        (0..<1_000).forEach(subject.onNext)
        subject.onCompleted()
        #expect(await text(of: stream) == (0..<1_000).map { "\($0) " }.joined() + "end")
    }

    @Test func anInfallibleIsIteratedWithoutTry() async {
        let subject = PublishSubject<Int>()
        let stream = Infallible<Int>(raw: subject.asObservable()).values
        subject.onNext(1)
        subject.onNext(2)
        subject.onCompleted()
        #expect(await text(of: stream) == "1 2 end")
    }

    @Test func cancellingTheTaskEndsTheSubscription() async {
        let subject = PublishSubject<Int>()
        let throwing = subject.values
        let infallible = Infallible<Int>(raw: subject.asObservable()).values
        subject.onNext(1)
        let tasks = [Task { await text(of: throwing) }, Task { await text(of: infallible) }]
        for task in tasks { task.cancel() }
        // Whether the element is seen depends on when the tasks began.
        #expect(["1 cancelled", "cancelled"].contains(await tasks[0].value))
        #expect(["1 end", "end"].contains(await tasks[1].value))
        #expect(!subject.hasObservers)
    }

    @Test func aStreamThatIsLetGoOfEndsTheSubscription() {
        let subject = PublishSubject<Int>()
        do {
            let throwing = subject.values
            let infallible = Infallible<Int>(raw: subject.asObservable()).values
            #expect(subject.hasObservers)
            withExtendedLifetime((throwing, infallible)) {}
        }
        #expect(!subject.hasObservers)
    }

    @Test func leavingTheLoopEndsTheSubscription() async throws {
        let subject = ReplaySubject<Int>.createUnbounded()
        (0..<10).forEach(subject.onNext)
        var seen = 0
        for try await element in subject.values {
            seen = element
            if element == 3 { break }
        }
        #expect(seen == 3)
        #expect(await eventually { !subject.hasObservers })
    }

    /// What races with the cancellation of the iterating task.
    enum Ending: CaseIterable { case element, completed, error }

    @Test(arguments: Ending.allCases)
    func anEventAgainstCancellationEndsTheIterationOnce(ending: Ending) async {
        for round in 0..<stepCount(20_000, debug: 4_000) {
            let subject = PublishSubject<Int>()
            let stream = subject.values
            let task = Task { await text(of: stream) }
            race(
                {
                    jitter(round)
                    switch ending {
                    case .element: subject.onNext(1)
                    case .completed: subject.onCompleted()
                    case .error: subject.onError(Failure.expected)
                    }
                },
                {
                    jitter(round / 64)
                    task.cancel()
                })
            let seen = await task.value
            let expected =
                switch ending {
                case .element: ["1 cancelled", "cancelled"]
                case .completed: ["end", "cancelled"]
                case .error: ["expected", "cancelled", "end"]
                }
            guard expected.contains(seen), !subject.hasObservers else {
                Issue.record("\(ending): \(seen), still subscribed: \(subject.hasObservers)")
                return
            }
        }
    }

    @Test func anEventAgainstLettingGoOfTheStreamLeavesNothingBehind() {
        final class Round: @unchecked Sendable {
            let subject = PublishSubject<ReleaseToken>()
            var stream: AsyncThrowingStream<ReleaseToken, any Error>?
            let released = AtomicCounter(0)

            init() { stream = subject.values }
        }
        raceRounds(
            stepCount(20_000, debug: 4_000), prepare: { Round() },
            { round in
                round.subject.onNext(ReleaseToken { round.released.increment() })
                round.subject.onCompleted()
            },
            { $0.stream = nil },
            check: { round in
                if round.subject.hasObservers || round.released.value != 1 { Issue.record("left behind") }
            })
    }
}
