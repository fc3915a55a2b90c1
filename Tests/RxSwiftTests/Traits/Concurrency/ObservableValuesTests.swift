// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import TestSupport
import Testing

@Suite struct ObservableValuesTests {
    /// Iterates a sequence, and returns its elements and its end as text.
    private func text<Failure>(of values: ObservableValues<Int, Failure>) async -> String {
        await text(of: values.makeAsyncIterator())
    }

    private func text<Failure>(of iterator: ObservableValues<Int, Failure>.Iterator) async -> String {
        var iterator = iterator
        var seen: [String] = []
        do {
            while let element = try await iterator.next() { seen.append("\(element)") }
            seen.append("end")
        } catch is CancellationError {
            seen.append("cancelled")
        } catch {
            seen.append("\(error)")
        }
        return seen.joined(separator: " ")
    }

    @Test(
        "An iteration sees the events of the sequence",
        arguments: [
            (sequence(1, 2, 3), "1 2 3 end"), (sequence(1, error: .expected), "1 expected"), (.empty(), "end"),
            (.error(Failure.other), "other"),
        ], [ValuesBuffering.suspend, .unbounded, .dropOldest(3)])
    func events(of example: (source: Observable<Int>, expected: String), buffering: ValuesBuffering) async {
        #expect(await text(of: example.source.values(buffering: buffering)) == example.expected)
    }

    @Test(
        "Elements that come before the task asks wait, or are dropped, as the policy says",
        arguments: [
            (ValuesBuffering.suspend, "1 2 3 4 end", ""), (.unbounded, "1 2 3 4 end", ""),
            (.latest, "4 end", "1 2 3"), (.dropOldest(3), "2 3 4 end", "1"), (.dropOldest(1), "4 end", "1 2 3"),
            (.dropOldest(0), "4 end", "1 2 3"), (.dropOldest(.min), "4 end", "1 2 3"),
            (.dropOldest(.max), "1 2 3 4 end", ""),
        ])
    func policies(buffering: ValuesBuffering, expected: String, expectedDrops: String) async {
        let subject = PublishSubject<Int>()
        let dropped = EventLog()
        let values = subject.values(buffering: buffering, onDropped: { dropped.note("\($0)") })
        #expect(subject.hasObservers)
        for element in 1...4 { subject.onNext(element) }
        subject.onCompleted()
        #expect(await text(of: values) == expected)
        #expect(dropped.text == expectedDrops)
    }

    @Test("An Infallible is iterated without try, and just ends when the task is cancelled") func infallible() async {
        let subject = PublishSubject<Int>()
        let values = Infallible<Int>(raw: subject.asObservable()).values(buffering: .suspend)
        subject.onNext(1)
        var iterator = values.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        let task = Task { await text(of: values) }
        task.cancel()
        #expect(await task.value == "end")
        #expect(!subject.hasObservers)
    }

    @Test("nil and nothing else follows the end") func afterTheEnd() async throws {
        var failed = sequence(1, error: .expected).values(buffering: .suspend).makeAsyncIterator()
        #expect(try await failed.next() == 1)
        await #expect(throws: Failure.expected) { _ = try await failed.next() }
        #expect(try await failed.next() == nil)
        let values = Observable<Int>.empty().values(buffering: .suspend)
        let text = await Task {
            var iterator = values.makeAsyncIterator()
            let first = try await iterator.next()
            withUnsafeCurrentTask { $0?.cancel() }
            return "\(first as Int?, default: "nil") \(try await iterator.next() as Int?, default: "nil")"
        }.result
        #expect(try text.get() == "nil nil")
    }

    @Test("A task that was cancelled takes no element that waits") func cancelledConsumer() async {
        let subject = PublishSubject<Int>()
        let values = subject.values(buffering: .suspend)
        for element in 0..<100 { subject.onNext(element) }
        let task = Task { () -> String in
            withUnsafeCurrentTask { $0?.cancel() }
            return await text(of: values)
        }
        #expect(await task.value == "cancelled")
        #expect(!subject.hasObservers)
    }

    @Test("Cancelling a task that waits ends the subscription before cancel returns") func cancellation() async {
        let subject = PublishSubject<Int>()
        let values = subject.values(buffering: .latest)
        let isWaiting = AtomicCounter(0)
        let task = Task { () -> String in
            isWaiting.increment()
            return await text(of: values)
        }
        _ = await eventually { isWaiting.value == 1 }
        task.cancel()
        #expect(await task.value == "cancelled")
        #expect(!subject.hasObservers)
    }

    @Test("The release of the last copy ends the subscription") func release() async throws {
        let subject = PublishSubject<ReleaseToken>()
        let released = AtomicCounter(0)
        do {
            var iterator: ObservableValues<ReleaseToken, any Error>.Iterator
            do { iterator = subject.values(buffering: .suspend).makeAsyncIterator() }
            for _ in 0..<3 { subject.onNext(ReleaseToken { released.increment() }) }
            #expect(try await iterator.next() != nil)
            #expect(subject.hasObservers)
        }
        #expect(!subject.hasObservers)
        #expect(released.value == 3)
    }

    @Test("Each element goes to one of several tasks, and the end to all") func sharing() async throws {
        let subject = PublishSubject<Int>()
        let values = Infallible<Int>(raw: subject.asObservable()).values(buffering: .suspend)
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var sum = 0
                    for await element in values { sum += element }
                    return sum
                }
            }
            for element in 0..<1_000 {
                subject.onNext(element)
                if element % 10 == 0 { await Task.yield() }
            }
            subject.onCompleted()
            return try await group.reduce(0, +)
        }
        #expect(sum == 499_500)
    }

    // MARK: Pressure

    @Test(
        "A source pauses as the policy says, and goes on when half has been taken",
        arguments: [
            (ValuesBuffering.suspend, 8_192), (.unbounded, 20_000), (.latest, 20_000), (.dropOldest(5), 20_000),
        ])
    func pressure(buffering: ValuesBuffering, expected: Int) async throws {
        let probe = PausableProbe<Int>()
        var iterator = probe.observable.values(buffering: buffering).makeAsyncIterator()
        #expect(probe.emitUntilPaused(limit: 20_000) == expected)
        guard probe.isPaused else { return }
        for _ in 0..<4_095 { _ = try await iterator.next() }
        #expect(probe.resumeCount == 0)
        _ = try await iterator.next()
        #expect(probe.resumeCount == 1)
    }

    @Test("Elements that weigh count by their weight") func weight() async throws {
        let probe = PausableProbe<[UInt8]> { _ in Array(repeating: 0, count: 1 << 18) }
        var iterator = probe.observable.values(buffering: .suspend).makeAsyncIterator()
        #expect(probe.emitUntilPaused(limit: 100) == 4)
        for _ in 0..<2 { _ = try await iterator.next() }
        #expect(probe.resumeCount == 1)
    }

    @Test("The end and the release resume a source that waits") func endsResume() async {
        let probe = PausableProbe<Int>()
        do {
            let values = probe.observable.values(buffering: .suspend)
            probe.emitUntilPaused(limit: 20_000)
            withExtendedLifetime(values) {}
        }
        #expect(probe.isStopped)
        #expect(probe.resumeCount == 1)
    }

    // MARK: Races

    /// What races with an iterating task.
    enum Rival: CaseIterable { case element, completed, error, cancellation, release }

    @Test(
        "What races with an event leaves nothing behind, and ends the iteration once", arguments: Rival.allCases,
        Rival.allCases)
    func races(first: Rival, second: Rival) async {
        for round in 0..<stressRounds(2_000, debug: 400) {
            let subject = PublishSubject<Int>()
            let holder = Holder(subject.values(buffering: .suspend))
            let task = Task { [iterator = holder.makeIterator()] in await text(of: iterator) }
            @Sendable func run(_ rival: Rival) {
                switch rival {
                case .element: subject.onNext(1)
                case .completed: subject.onCompleted()
                case .error: subject.onError(Failure.expected)
                case .cancellation: task.cancel()
                case .release: holder.release()
                }
            }
            race(
                {
                    jitter(round)
                    run(first)
                },
                {
                    jitter(round / 64)
                    run(second)
                })
            task.cancel()
            let seen = await task.value
            let isExpected =
                seen.hasSuffix("cancelled") || seen.hasSuffix("end") && (first == .completed || second == .completed)
                || seen.hasSuffix("expected") && (first == .error || second == .error)
            guard isExpected, !subject.hasObservers else {
                Issue.record("\(first), \(second): \(seen), still subscribed: \(subject.hasObservers)")
                return
            }
        }
    }

    private final class Holder: @unchecked Sendable {
        private let lock = NSLock()
        /// Under the lock.
        private var values: ObservableValues<Int, any Error>?

        init(_ values: ObservableValues<Int, any Error>) { self.values = values }

        func makeIterator() -> ObservableValues<Int, any Error>.Iterator {
            lock.withLock { values! }.makeAsyncIterator()
        }

        func release() {
            let released = lock.withLock { values.take() }
            withExtendedLifetime(released) {}
        }
    }
}
