// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct TaskLifetimeTests {
    @Test("A subscription ends with the task that it belongs to") func endOfTask() async {
        let subject = PublishSubject<Int>()
        let gate = AtomicCounter(0)
        let task = Task { while gate.value == 0 { await Task.yield() } }
        subject.subscribe().disposed(by: task)
        await quiet { subject.hasObservers ? 1 : 0 }
        #expect(subject.hasObservers)
        gate.increment()
        #expect(await eventually { !subject.hasObservers })
        // A task that has ended, and one that has failed.
        subject.subscribe().disposed(by: task)
        subject.subscribe().disposed(by: Task<Int, any Error> { throw Failure.expected })
        #expect(await eventually { !subject.hasObservers })
    }

    @Test("A scope ends its subscription behind the code, whatever that does") func scope() async throws {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let result = await withSubscription(subject.subscribe(onNext: { log.note("\($0)") })) {
            subject.onNext(1)
            return 2
        }
        #expect(result == 2)
        subject.onNext(3)
        #expect(log.text == "1")
        await #expect(throws: Failure.expected) {
            try await withSubscription(subject.subscribe()) { throw Failure.expected }
        }
        #expect(!subject.hasObservers)
    }

    @Test("A cancellation ends the subscription at once, while the code goes on") func cancelledScope() async {
        let subject = PublishSubject<Int>()
        let (begun, gate) = (AtomicCounter(0), AtomicCounter(0))
        let task = Task {
            await withSubscription(subject.subscribe()) {
                begun.increment()
                while gate.value == 0 { await Task.yield() }
            }
        }
        #expect(await eventually { begun.value == 1 })
        #expect(subject.hasObservers)
        task.cancel()
        #expect(!subject.hasObservers)
        gate.increment()
        await task.value
        // A task that is cancelled before the scope begins.
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await withSubscription(subject.subscribe()) { subject.hasObservers }
        }
        #expect(await !late.value)
    }

    @Test("A scope that is cancelled disposes once") func once() async {
        final class Counted: Disposable, @unchecked Sendable {
            let count = AtomicCounter(0)
            func dispose() { count.increment() }
        }
        let subscription = Counted()
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await withSubscription(subscription) { await Task.yield() }
        }.value
        #expect(subscription.count.value == 1)
    }

    @Test("The code runs in the isolation of its caller") @MainActor func isolation() async {
        final class Model {
            var sum = 0
        }
        let model = Model()
        let subject = PublishSubject<Int>()
        await withSubscription(subject.subscribe()) {
            MainActor.assertIsolated()
            model.sum += 1
        }
        #expect(model.sum == 1)
    }
}
