// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import TestSupport
import Testing

/// Races on the bridges between sequences and tasks: each event, cancellation and release against each other one.
///
/// `ObservableValuesTests` and `AsyncMapTests` race `values(buffering:)` and `asyncMap`.
@Suite struct BridgeRacesTests {
    enum Rival: CaseIterable { case element, completed, error, cancellation, release }

    enum Bridge: CaseIterable { case value, values, asyncSequence, work, scope, lifetime }

    /// One round: the rivals, and a check, which returns the fault that it finds.
    private struct Round: Sendable {
        let run: @Sendable (Rival) -> Void
        let fault: @Sendable () async -> String?
    }

    @Test("What races on a bridge ends it once, and leaves nothing behind", arguments: Bridge.allCases)
    func races(bridge: Bridge) async {
        let pairs = Rival.allCases.flatMap { first in Rival.allCases.map { (first, $0) } }
        for round in 0..<stressRounds(10_000, debug: 1_000) {
            let (first, second) = pairs[round % pairs.count]
            let contest = Self.round(on: bridge)
            race(
                {
                    jitter(round / 25)
                    contest.run(first)
                },
                {
                    jitter(round / 1_600)
                    contest.run(second)
                })
            if let fault = await contest.fault() {
                Issue.record("\(bridge), \(first) and \(second), round \(round): \(fault)")
                return
            }
        }
    }

    private static func round(on bridge: Bridge) -> Round {
        switch bridge {
        case .value: consumer { subject in "\(String(describing: try await subject.first().value))" }
        case .values:
            consumer { subject in
                var count = 0
                for try await _ in subject.values { count += 1 }
                return "\(count)"
            }
        case .scope:
            consumer { subject in
                await withSubscription(subject.subscribe(onError: { _ in })) {
                    while !Task.isCancelled { await Task.yield() }
                }
                return "over"
            }
        case .lifetime: lifetime()
        case .asyncSequence: sequence()
        case .work: work()
        }
    }

    /// A task that consumes a subject, which is the task's alone after a release.
    private static func consumer(_ consume: @escaping @Sendable (PublishSubject<Int>) async throws -> String) -> Round {
        let subject = Held(PublishSubject<Int>())
        let observed = subject.value!
        let task = Task {
            do { return try await consume(observed) } catch is CancellationError { return "cancelled" } catch {
                return "\(error)"
            }
        }
        return Round(
            run: { rival in
                switch rival {
                case .element: subject.value?.onNext(1)
                case .completed: subject.value?.onCompleted()
                case .error: subject.value?.onError(Failure.expected)
                case .cancellation: task.cancel()
                case .release: subject.release()
                }
            },
            fault: {
                task.cancel()
                let end = await task.value
                let isExpected = ["cancelled", "expected", "over", "nil", "Optional(1)", "0", "1", "2"].contains(end)
                if !isExpected { return "ended with \(end)" }
                return observed.hasObservers ? "still subscribed" : nil
            })
    }

    /// A subscription that belongs to a task.
    private static func lifetime() -> Round {
        let subject = PublishSubject<Int>()
        let task = Task { while !Task.isCancelled { await Task.yield() } }
        let subscription = subject.subscribe(onError: { _ in })
        return Round(
            run: { rival in
                switch rival {
                case .element: subject.onNext(1)
                case .completed: subject.onCompleted()
                case .error: subject.onError(Failure.expected)
                case .cancellation: task.cancel()
                case .release: subscription.disposed(by: task)
                }
            },
            fault: {
                subscription.disposed(by: task)
                task.cancel()
                return await eventually { !subject.hasObservers } ? nil : "still subscribed"
            })
    }

    /// An async sequence as an observable.
    private static func sequence() -> Round {
        let (stream, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
        let terminated = AtomicCounter(0)
        continuation.onTermination = { _ in terminated.increment() }
        let ended = AtomicCounter(0)
        let subscription = Held(
            stream.asObservable().subscribe(
                onError: { _ in ended.increment() }, onCompleted: { ended.increment() }))
        return Round(
            run: { run($0, on: continuation, subscription) },
            fault: {
                subscription.value?.dispose()
                continuation.finish()
                guard await eventually({ terminated.value == 1 }) else { return "the iteration goes on" }
                return ended.value <= 1 ? nil : "\(ended.value) terminal events"
            })
    }

    private static func run(
        _ rival: Rival, on continuation: AsyncThrowingStream<Int, any Error>.Continuation,
        _ subscription: Held<any Disposable>
    ) {
        switch rival {
        case .element: continuation.yield(1)
        case .completed: continuation.finish()
        case .error: continuation.finish(throwing: Failure.expected)
        case .cancellation: subscription.value?.dispose()
        case .release: subscription.release()
        }
    }

    /// A task as a single.
    private static func work() -> Round {
        let (stream, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
        let (begun, left, ended) = (AtomicCounter(0), AtomicCounter(0), AtomicCounter(0))
        let single = Single<Int>.create {
            begun.increment()
            defer { left.increment() }
            for try await element in stream { return element }
            return 0
        }
        let subscription = Held(
            single.subscribe(onSuccess: { _ in ended.increment() }, onFailure: { _ in ended.increment() }))
        return Round(
            run: { run($0, on: continuation, subscription) },
            fault: {
                subscription.value?.dispose()
                continuation.finish()
                guard await eventually({ begun.value == left.value }) else { return "the work goes on" }
                return ended.value <= 1 ? nil : "\(ended.value) results"
            })
    }
}

/// A reference that one thread releases while others use it.
private final class Held<Value>: @unchecked Sendable {
    private let lock = NSLock()
    /// Under the lock.
    private var held: Value?

    init(_ value: Value) { held = value }

    var value: Value? { lock.withLock { held } }

    func release() {
        let released = lock.withLock { held.take() }
        withExtendedLifetime(released) {}
    }
}
