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
        /// True if the task of the bridge has begun.
        let hasBegun: @Sendable () -> Bool
        let run: @Sendable (Rival) -> Void
        let fault: @Sendable () async -> String?
    }

    @Test("What races on a bridge ends it once, and leaves nothing behind", arguments: Bridge.allCases)
    func races(bridge: Bridge) async {
        let pairs = Rival.allCases.flatMap { first in Rival.allCases.map { (first, $0) } }
        for pass in 0..<stressRounds(10_000, debug: 1_000) / pairs.count {
            let contests = pairs.map { _ in Self.round(on: bridge) }
            // In every other pass the rivals meet bridges that may still be setting up.
            if pass % 2 == 0 {
                for contest in contests { #expect(await eventually(contest.hasBegun)) }
            }
            race(
                rounds: zip(pairs, contests).map { pair, contest in
                    [
                        {
                            jitter(pass)
                            contest.run(pair.0)
                        },
                        {
                            jitter(pass / 64)
                            contest.run(pair.1)
                        },
                    ]
                })
            for (pair, contest) in zip(pairs, contests) {
                guard let fault = await contest.fault() else { continue }
                Issue.record("\(bridge), \(pair.0) and \(pair.1), pass \(pass): \(fault)")
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
                    await cancellation()
                }
                return "cancelled"
            }
        case .lifetime: lifetime()
        case .asyncSequence: sequence()
        case .work: work()
        }
    }

    /// A task that consumes a subject, which nothing but that keeps after a release.
    private static func consumer(
        _ consume: @escaping @Sendable (Observable<Int>) async throws -> String
    ) -> Round {
        let subject = Held(PublishSubject<Int>())
        let observed = Unowned(subject.value)
        let task = Task {
            do {
                guard let source = subject.value?.asObservable() else { return "released" }
                return try await consume(source)
            } catch is CancellationError { return "cancelled" } catch { return "\(error)" }
        }
        return Round(
            hasBegun: { observed.value?.hasObservers == true },
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
                let isExpected = ["cancelled", "expected", "released", "nil", "Optional(1)", "0", "1", "2"].contains(
                    end)
                if !isExpected { return "ended with \(end)" }
                if observed.value?.hasObservers == true { return "still subscribed" }
                subject.release()
                return await eventually { observed.value == nil } ? nil : "still held"
            })
    }

    /// Waits until the task is cancelled. A cancelled `Task.sleep` would leave its timer until the deadline.
    private static func cancellation() async {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
    }

    /// A subscription that belongs to a task.
    private static func lifetime() -> Round {
        let subject = PublishSubject<Int>()
        let task = Task { await cancellation() }
        let subscription = subject.subscribe(onError: { _ in })
        return Round(
            hasBegun: { true },
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
        let (received, ended) = (AtomicCounter(0), AtomicCounter(0))
        let subscription = Held(
            stream.asObservable().subscribe(
                onNext: { _ in received.increment() }, onError: { _ in ended.increment() },
                onCompleted: { ended.increment() }))
        continuation.yield(0)
        return Round(
            hasBegun: { received.value == 1 },
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
        let (begun, ended) = (AtomicCounter(0), AtomicCounter(0))
        var token: ReleaseToken? = ReleaseToken()
        let held = Unowned(token)
        let single = Single<Int>.create { [token] in
            begun.increment()
            defer { withExtendedLifetime(token) {} }
            for try await element in stream { return element }
            return 0
        }
        token = nil
        let subscription = Held(
            single.subscribe(onSuccess: { _ in ended.increment() }, onFailure: { _ in ended.increment() }))
        return Round(
            hasBegun: { begun.value == 1 },
            run: { run($0, on: continuation, subscription) },
            fault: {
                subscription.value?.dispose()
                continuation.finish()
                guard await eventually({ held.value == nil }) else { return "the work goes on" }
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

/// A reference that keeps nothing.
private final class Unowned<Object: AnyObject>: @unchecked Sendable {
    weak private(set) var value: Object?

    init(_ value: Object?) { self.value = value }
}
