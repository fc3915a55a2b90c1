// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct ValuesTests {
    /// Iterates a stream, and returns its elements and its end as text.
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

    @Test(
        "An iteration sees the events of the sequence",
        arguments: [
            (sequence(1, 2, 3), "1 2 3 end"), (sequence(1, error: .expected), "1 expected"), (.empty(), "end"),
            (.error(Failure.other), "other"),
        ])
    func events(source: Observable<Int>, expected: String) async {
        #expect(await text(of: source.values) == expected)
    }

    @Test("Reading the property subscribes") func reading() async {
        let subject = PublishSubject<Int>()
        let stream = subject.values
        #expect(subject.hasObservers)
        // Elements wait until they are asked for.
        (0..<1_000).forEach(subject.onNext)
        subject.onCompleted()
        #expect(await text(of: stream) == (0..<1_000).map { "\($0) " }.joined() + "end")
    }

    @Test("An Infallible is iterated without try") func infallible() async {
        let subject = PublishSubject<Int>()
        let stream = Infallible<Int>(raw: subject.asObservable()).values
        subject.onNext(1)
        subject.onNext(2)
        subject.onCompleted()
        #expect(await text(of: stream) == "1 2 end")
    }

    @Test("Cancelling the task ends the subscription") func cancellation() async {
        let subject = PublishSubject<Int>()
        let throwing = subject.values
        let infallible = Infallible<Int>(raw: subject.asObservable()).values
        subject.onNext(1)
        let tasks = [Task { await text(of: throwing) }, Task { await text(of: infallible) }]
        for task in tasks { task.cancel() }
        // A task that begins after its cancellation misses the element.
        #expect(["1 cancelled", "cancelled"].contains(await tasks[0].value))
        #expect(["1 end", "end"].contains(await tasks[1].value))
        #expect(!subject.hasObservers)
    }

    @Test("The release of the stream ends the subscription") func releasedStream() {
        let subject = PublishSubject<Int>()
        do {
            let throwing = subject.values
            let infallible = Infallible<Int>(raw: subject.asObservable()).values
            #expect(subject.hasObservers)
            withExtendedLifetime((throwing, infallible)) {}
        }
        #expect(!subject.hasObservers)
    }

    @Test("Leaving the loop ends the subscription") func leavingTheLoop() async throws {
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

    /// The event that races with the cancellation of the iterating task.
    enum Ending: CaseIterable { case element, completed, error }

    @Test("An event that races with cancellation ends the iteration once", arguments: Ending.allCases)
    func cancellationRace(ending: Ending) async {
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

    @Test("An event that races with the release of the stream leaves nothing behind") func releaseRace() {
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
