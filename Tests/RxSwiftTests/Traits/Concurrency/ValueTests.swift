// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import TestSupport
import Testing

@Suite struct ValueTests {
    private func maybe(_ source: Observable<Int>) -> Maybe<Int> { PrimitiveSequence(raw: source) }
    private func completable(_ source: Observable<Never>) -> Completable { PrimitiveSequence(raw: source) }

    /// Awaits a value, and returns it or the error as text.
    private func text<Value>(_ wait: () async throws -> Value) async -> String {
        do {
            return "\(try await wait())"
        } catch is CancellationError {
            return "cancelled"
        } catch {
            return "\(error)"
        }
    }

    @Test("value awaits the element of a Single") func singleValue() async {
        #expect(await text { try await Single.just(1).value } == "1")
        #expect(await text { try await Single<Int>.error(Failure.expected).value } == "expected")
        #expect(await text { try await Single<Int?>.just(nil).value } == "nil")
    }

    @Test("value awaits the outcome of a Maybe") func maybeValue() async {
        #expect(await text { try await maybe(.just(1)).value } == "Optional(1)")
        #expect(await text { try await maybe(.empty()).value } == "nil")
        #expect(await text { try await maybe(.error(Failure.expected)).value } == "expected")
    }

    @Test("value awaits the end of a Completable") func completableValue() async {
        #expect(await text { try await completable(.empty()).value } == "()")
        #expect(await text { try await completable(.error(Failure.expected)).value } == "expected")
    }

    @Test("value awaits an outcome from another thread") func otherThread() async {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "value")
        #expect(await text { try await Single.just(1, scheduler: scheduler).value } == "1")
        let late = Observable<Int>.timer(.milliseconds(1), scheduler: scheduler)
        #expect(await text { try await maybe(late).value } == "Optional(0)")
        #expect(await text { try await completable(late.ignoreElements()).value } == "()")
    }

    @Test("Cancelling the task disposes of the subscription") func cancellation() async {
        let disposals = AtomicCounter(0)
        let never = Observable<Never>.create { _ in Disposables.create { disposals.increment() } }
        let tasks = [
            Task { await text { try await Single<Never>.create { _ in never.subscribe() }.value } },
            Task { await text { try await PrimitiveSequence<MaybeTrait, Never>(raw: never).value } },
            Task { await text { try await completable(never).value } },
        ]
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await task.value == "cancelled") }
        #expect(disposals.value == 3)
    }

    /// The fault: a thread of the cooperative pool stayed busy for ever.
    @Test("Cancelling the task ends a source that keeps the thread of the subscription") func cancelledInSubscribe()
        async
    {
        let start = ContinuousClock.now
        let late: Observable<Int> = .deferred {
            ContinuousClock.now - start > .seconds(10) ? .never() : .error(Failure.expected)
        }
        let waits: [@Sendable () async throws -> Void] = [
            { _ = try await late.retry().first().value },
            { _ = try await Observable<Int>.repeatElement(1).ignoreElements().asCompletable().value },
            { _ = try await Observable<Int>.range(start: 0, count: .max).filter { $0 < 0 }.asSingle().value },
        ]
        for wait in waits {
            let task = Task.detached { await text(wait) }
            // Not a task: the pool may have one thread only.
            Thread.detachNewThread {
                usleep(20_000)
                task.cancel()
            }
            #expect(await task.value == "cancelled")
        }
        #expect(ContinuousClock.now - start < .seconds(8))
    }

    @Test("A task that is already cancelled still subscribes") func cancelledBefore() async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            // As in RxSwift, an outcome within `subscribe` counts, and a later one does not.
            return (
                await text { try await Single.just(1).value }, await text { try await Single<Int>.never().value }
            )
        }
        task.cancel()
        #expect(await task.value == ("1", "cancelled"))
    }

    @Test("value ignores the events after the first element") func laterElement() async {
        #expect(await text { try await maybe(sequence(1, 2)).value } == "Optional(1)")
        #expect(await text { try await maybe(sequence(1, error: .expected)).value } == "Optional(1)")
    }

    /// The event of the source that races with the cancellation of the task.
    enum Ending: CaseIterable { case success, completed, error, successAgainstError }

    /// Resuming the (checked) continuation twice would end the process, never resuming it would hang.
    @Test("An end that races with cancellation resumes the task once", arguments: Ending.allCases)
    func cancellationRace(ending: Ending) async {
        for round in 0..<stepCount(20_000, debug: 4_000) {
            let source = PublishSubject<Int>()
            let task = Task { await text { try await maybe(source.asObservable()).value } }
            while !source.hasObservers { await Task.yield() }
            let cancel: @Sendable () -> Void = {
                jitter(round / 64)
                task.cancel()
            }
            let end: @Sendable () -> Void = {
                jitter(round)
                switch ending {
                case .success, .successAgainstError:
                    source.onNext(1)
                    source.onCompleted()
                case .completed: source.onCompleted()
                case .error: source.onError(Failure.expected)
                }
            }
            if ending == .successAgainstError {
                race(end, { source.onError(Failure.expected) }, cancel)
            } else {
                race(end, cancel)
            }
            let seen = await task.value
            let expected =
                switch ending {
                case .success: ["Optional(1)", "cancelled"]
                case .completed: ["nil", "cancelled"]
                case .error: ["expected", "cancelled"]
                case .successAgainstError: ["Optional(1)", "expected", "cancelled"]
                }
            guard expected.contains(seen), !source.hasObservers else {
                Issue.record("\(ending): \(seen), still subscribed: \(source.hasObservers)")
                return
            }
        }
    }

    @Test("One of three racing resumptions wins") func resumptionRace() async {
        for _ in 0..<stepCount(20_000, debug: 4_000) {
            let seen = await text {
                try await withCheckedThrowingContinuation { continuation in
                    let resumption = Resumption<Int>(continuation)
                    race(
                        { resumption.resume(.success(1)) }, { resumption.resume(.success(nil)) },
                        { resumption.resume(.failure(CancellationError())) })
                }
            }
            guard ["Optional(1)", "nil", "cancelled"].contains(seen) else {
                Issue.record("\(seen)")
                return
            }
        }
    }

    @Test("A cancellation that races with subscribing resumes the task once") func subscribeRace() async {
        for _ in 0..<stepCount(20_000, debug: 4_000) {
            let disposals = AtomicCounter(0)
            let subscriptions = AtomicCounter(0)
            let start = AtomicCounter(0)
            let task = Task {
                while start.value == 0 {}
                return await text {
                    try await Single<Int>.create { _ in
                        subscriptions.increment()
                        return Disposables.create { disposals.increment() }
                    }.value
                }
            }
            start.increment()
            task.cancel()
            guard await task.value == "cancelled", disposals.value == subscriptions.value else {
                Issue.record("subscriptions: \(subscriptions.value), disposals: \(disposals.value)")
                return
            }
        }
    }
}
