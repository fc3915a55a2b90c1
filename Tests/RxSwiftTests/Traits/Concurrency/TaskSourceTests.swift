// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// Sources that are tasks: `AsyncSequence.asObservable()` and `Single.create(work:)`.
@Suite struct TaskSourceTests {
    private func isOver(_ log: EventLog) async -> Bool {
        await eventually { log.lines.last.map { $0 == "completed" || $0.hasPrefix("error") } ?? false }
    }

    private static func stream(_ elements: Int..., error: (any Error)? = nil) -> AsyncThrowingStream<Int, any Error> {
        AsyncThrowingStream { continuation in
            for element in elements { continuation.yield(element) }
            continuation.finish(throwing: error)
        }
    }

    @Test(
        "An async sequence sends its elements and its end",
        arguments: [
            (stream(1, 2, 3), "1 2 3 completed"), (stream(), "completed"),
            (stream(1, error: Failure.expected), "1 error(expected)"),
            (stream(1, error: CancellationError()), "1 completed"),
        ])
    func sequenceEvents(source: AsyncThrowingStream<Int, any Error>, expected: String) async {
        let log = EventLog(source.asObservable(priority: .high))
        #expect(await isOver(log))
        #expect(log.text == expected)
        #expect(!log.hasOverlapped)
    }

    @Test("Each subscription iterates the async sequence anew") func newIteration() async {
        struct Numbers: AsyncSequence, AsyncIteratorProtocol {
            var last = 0

            func makeAsyncIterator() -> Numbers { self }
            mutating func next() async -> Int? {
                last += 1
                return last > 3 ? nil : last
            }
        }
        let source = Numbers().asObservable()
        for log in [EventLog(source), EventLog(source)] {
            #expect(await isOver(log))
            #expect(log.text == "1 2 3 completed")
        }
    }

    @Test("dispose ends a sequence that ignores cancellation") func uncooperativeSequence() async {
        struct Endless: AsyncSequence {
            let iterations: AtomicCounter

            struct Iterator: AsyncIteratorProtocol {
                let iteration: CountedLife
                mutating func next() async -> Int? { 1 }
            }

            func makeAsyncIterator() -> Iterator { Iterator(iteration: CountedLife(ended: iterations)) }
        }
        let ended = AtomicCounter(0)
        let received = AtomicCounter(0)
        let subscription = Endless(iterations: ended).asObservable().subscribe(onNext: { _ in received.increment() })
        // Without keeping the thread, which the sequence's task may need.
        #expect(await eventually { received.value > 0 })
        subscription.dispose()
        #expect(await eventually { ended.value == 1 })
    }

    enum Ending: CaseIterable, Sendable { case operators, atOnce, waiting }

    /// The fault: a stream was not told unless its task was waiting just then, and what made its elements went on.
    @Test("A stream is told when the subscription has ended, also if something holds it", arguments: Ending.allCases)
    func toldStream(_ ending: Ending) async throws {
        for round in 0..<stepCount(300, debug: 100) {
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            let terminations = AtomicCounter(0)
            continuation.onTermination = { _ in terminations.increment() }
            for element in 1...10 { continuation.yield(element) }
            let received = AtomicCounter(0)
            let source = stream.asObservable()
            let subscription = (ending == .operators ? source.take(3) : source)
                .subscribe(onNext: { _ in received.increment() })
            switch ending {
            case .operators: break
            case .atOnce: subscription.dispose()
            case .waiting:
                #expect(await eventually { received.value == 10 })
                subscription.dispose()
            }
            guard await eventually({ terminations.value == 1 }) else {
                Issue.record("round \(round)")
                return
            }
            withExtendedLifetime((stream, continuation)) {}
        }
    }

    @Test("A sequence is asked no more than twice when the subscription has ended") func cancelledSequence() async {
        final class Calls: @unchecked Sendable {
            let subscription = SingleAssignmentDisposable()
            let isSubscribed = AtomicCounter(0)
            let ofCancelledTask = AtomicCounter(0)
            let ended = AtomicCounter(0)
        }
        struct Cancelling: AsyncSequence, AsyncIteratorProtocol {
            let calls: Calls
            let life: CountedLife
            var count = 0

            init(calls: Calls) {
                self.calls = calls
                life = CountedLife(ended: calls.ended)
            }

            mutating func next() async -> Int? {
                while calls.isSubscribed.value == 0 { await Task.yield() }
                if Task.isCancelled { calls.ofCancelledTask.increment() }
                count += 1
                // The second element and the cancellation meet.
                if count == 2 { calls.subscription.dispose() }
                return count
            }

            func makeAsyncIterator() -> Cancelling { self }
        }
        let calls = Calls()
        let log = EventLog()
        let disposals = AtomicCounter(0)
        calls.subscription.setDisposable(
            Cancelling(calls: calls).asObservable().do(onDispose: { disposals.increment() })
                .subscribe(onNext: { log.note("\($0)") }))
        calls.isSubscribed.increment()
        #expect(await eventually { disposals.value == 1 && calls.ended.value == 1 })
        #expect(log.text == "1")
        #expect(calls.ofCancelledTask.value == 1)
    }

    /// An object that counts its release.
    private final class CountedLife: Sendable {
        private let ended: AtomicCounter
        init(ended: AtomicCounter) { self.ended = ended }
        deinit { ended.increment() }
    }

    @Test("The result of the work is the outcome of a Single", arguments: [false, true])
    func work(detached: Bool) async throws {
        let scale = 2
        #expect(try await Single.create(detached: detached) { 21 * scale }.value == 42)
        await #expect(throws: Failure.expected) {
            try await Single<Int>.create(detached: detached, priority: .low) { throw Failure.expected }.value
        }
    }

    private enum Local {
        @TaskLocal static var number = 0
    }

    @Test("Only detached work inherits no task-local value") func detachedWork() async throws {
        let plain = Single.create { Local.number }
        let detached = Single.create(detached: true) { Local.number }
        let seen = try await Local.$number.withValue(7) { (try await plain.value, try await detached.value) }
        #expect(seen == (7, 0))
    }

    @Test("The work runs for each subscription") func workPerSubscription() async throws {
        let runs = AtomicCounter(0)
        let single = Single.create {
            runs.increment()
            return runs.value
        }
        #expect(runs.value == 0)
        _ = try await single.value
        _ = try await single.value
        #expect(runs.value == 2)
    }

    @Test("dispose cancels the work") func disposeCancels() async {
        let cancelled = AtomicCounter(0)
        let subscription = Single<Int>.create {
            do {
                try await Task.sleep(nanoseconds: 60_000_000_000)
            } catch {
                cancelled.increment()
            }
            return 1
        }.subscribe(onSuccess: { _ in Issue.record("sent after dispose") })
        subscription.dispose()
        #expect(await eventually { cancelled.value == 1 })
    }

    @Test("An element that races with dispose arrives at most once, and the task ends", arguments: [false, true])
    func disposeRace(isSequence: Bool) async {
        /// A stream that counts the iterations that have ended.
        struct Watched: AsyncSequence {
            let stream: AsyncStream<Int>
            let ended: AtomicCounter

            struct Iterator: AsyncIteratorProtocol {
                var iterator: AsyncStream<Int>.Iterator
                let iteration: CountedLife
                mutating func next() async -> Int? { await iterator.next() }
            }

            func makeAsyncIterator() -> Iterator {
                Iterator(iterator: stream.makeAsyncIterator(), iteration: CountedLife(ended: ended))
            }
        }
        for round in 0..<stepCount(20_000, debug: 2_000) {
            let seen = AtomicCounter(0)
            let ended = AtomicCounter(0)
            let (stream, trigger) = AsyncStream.makeStream(of: Int.self)
            let elements = Watched(stream: stream, ended: ended)
            let single = Single<Int>.create {
                for await element in elements { return element }
                throw Failure.other
            }
            let source = isSequence ? elements.asObservable() : single.asObservable()
            let subscription = source.subscribe(onNext: { _ in seen.increment() })
            race(
                { trigger.yield(1) },
                {
                    // The task wakes up late; the two meet somewhere in this span.
                    let instant = MonotonicClock.now() + UInt64(round % 100) * 1_000
                    while MonotonicClock.now() < instant {}
                    subscription.dispose()
                })
            while ended.value == 0 { await Task.yield() }
            guard seen.value <= 1 else {
                Issue.record("seen: \(seen.value)")
                return
            }
        }
    }
}
