// SPDX-License-Identifier: Apache-2.0

import RxSwift
import Testing

/// What a scheduler of the program's own sees of the library.
@Suite struct CustomSchedulerTests {
    /// Counts the actions that were scheduled and not disposed of.
    private final class CountingScheduler: ImmediateSchedulerType {
        private var waiting: [() -> Void] = []
        private(set) var outstanding = 0

        func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
            outstanding += 1
            let action = ScheduledAction(running: { action(state) })
            waiting.append(action.run)
            return Disposables.create {
                self.outstanding -= 1
                action.disposable.dispose()
            }
        }

        func runAll() {
            while !waiting.isEmpty { waiting.removeFirst()() }
        }

        private struct ScheduledAction {
            let disposable = SingleAssignmentDisposable()
            let running: () -> any Disposable

            func run() { if !disposable.isDisposed { disposable.setDisposable(running()) } }
        }
    }

    /// The fault: as many as there were elements were left.
    @Test("What a scheduler has returned for an action is disposed of when it has run") func disposedActions() {
        let scheduler = CountingScheduler()
        var elements: [Int] = []
        _ = Observable.range(start: 0, count: 3, scheduler: scheduler).subscribe(onNext: { elements.append($0) })
        _ = Observable.from([3, 4], scheduler: scheduler).subscribe(onNext: { elements.append($0) })
        let subject = PublishSubject<Int>()
        _ = subject.observe(on: scheduler).subscribe(onNext: { elements.append($0) })
        subject.onNext(5)
        subject.onNext(6)
        let subscription = Observable<Int>.never().subscribe(on: scheduler).subscribe()
        scheduler.runAll()
        #expect(elements.sorted() == [0, 1, 2, 3, 4, 5, 6])
        #expect(scheduler.outstanding == 0)
        subscription.dispose()
        scheduler.runAll()
        #expect(scheduler.outstanding == 0)
    }

    /// Runs each action at once, twice.
    private final class RepeatingScheduler: ImmediateSchedulerType {
        func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
            _ = action(state)
            return action(state)
        }
    }

    /// The fault: the second run took itself for the drainer of the hop's queue, and looked for work for ever.
    @Test("An action that a scheduler runs twice does its work once", .timeLimit(.minutes(1))) func repeatedActions() {
        let scheduler = RepeatingScheduler()
        var elements: [Int] = []
        let subject = PublishSubject<Int>()
        let hop = subject.observe(on: scheduler).subscribe(onNext: { elements.append($0) })
        subject.onNext(1)
        subject.onNext(2)
        hop.dispose()
        _ = Observable.of(3, 4).subscribe(on: scheduler).subscribe(onNext: { elements.append($0) })
        _ = Observable.from([5, 6], scheduler: scheduler).subscribe(onNext: { elements.append($0) })
        #expect(elements == [1, 2, 3, 4, 5, 6])
    }
}
