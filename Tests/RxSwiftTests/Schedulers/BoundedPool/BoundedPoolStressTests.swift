// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite(.serialized) struct BoundedPoolStressTests {
    /// The race: many threads submit work at all priorities, and this work submits more.
    @Test(
        "Every action that many threads submit runs once", arguments: [1, 2, 5],
        [BoundedPoolScheduler.NestedOrder.oldestFirst, .newestFirst])
    func runsOnce(limit: Int, order: BoundedPoolScheduler.NestedOrder) {
        for round in 0..<10 {
            let pool = BoundedPoolScheduler(maxConcurrentOperationCount: limit, nestedOrder: order)
            let schedulers = BoundedPoolScheduler.Priority.allCases.map { pool.prioritized($0) }
            let producers = 4
            let each = 150
            // Each action submits two, three levels deep: 1 + 2 + 4 + 8.
            let total = producers * each * 15
            let left = AtomicCounter(total)
            let done = OneShot()
            @Sendable func submit(_ depth: Int, _ number: Int) {
                schedulers[(number + depth + round) % schedulers.count].run {
                    if depth > 0 { for _ in 0..<2 { submit(depth - 1, number) } }
                    if left.decrement() == 0 { done.fire() }
                }
            }
            race(
                (0..<producers).map { producer in
                    {
                        for number in 0..<each {
                            submit(3, number + producer)
                            // Now and then long enough for workers to fall asleep.
                            if number % 50 == 49 { usleep(200) }
                        }
                    }
                })
            #expect(done.wait())
            pool.shutdown()
            #expect(left.value == 0)
        }
    }

    /// The race: an action is disposed of while it is taken up.
    @Test("An action that is disposed of during its start runs at most once") func disposeRace() {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2)
        let released = AtomicCounter(0)
        let ran = AtomicCounter(0)
        let wrong = AtomicCounter(0)
        let count = 3_000
        race(
            (0..<2).map { part in
                {
                    for index in 0..<count {
                        let runs = AtomicCounter(0)
                        let token = ReleaseToken { released.increment() }
                        let result = BooleanDisposable()
                        let disposable = pool.schedule(token) { token in
                            runs.increment()
                            ran.increment()
                            if runs.value > 1 { wrong.increment() }
                            return withExtendedLifetime(token) { result }
                        }
                        jitter(index + part)
                        if index % 7 == 0 { usleep(10) }
                        disposable.dispose()
                        if (disposable as? any Cancelable)?.isDisposed != true { wrong.increment() }
                    }
                }
            })
        pool.shutdown()
        #expect(wrong.value == 0)
        #expect(released.value == 2 * count)
        #expect(ran.value <= 2 * count)
    }

    #if TRACE_RESOURCES
        /// In a process of its own, since the count is the process's.
        @Test("A pool releases all its objects") func noLeak() async {
            await #expect(processExitsWith: .success) {
                let before = Resources.total
                do {
                    let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2)
                    let done = OneShot()
                    for number in 0..<1_000 {
                        let disposable = pool.schedule(number) { _ in BooleanDisposable() }
                        if number % 3 == 0 { disposable.dispose() }
                        _ = pool.scheduleRelative(number, dueTime: .microseconds(number)) { _ in Disposables.create() }
                        pool.scheduleRelative(number, dueTime: .seconds(100)) { _ in Disposables.create() }.dispose()
                    }
                    let subscription = Observable<Int>.interval(.microseconds(200), scheduler: pool)
                        .observe(on: pool.prioritized(.userInteractive)).take(20)
                        .subscribe(on: pool)
                        .subscribe(onCompleted: { done.fire() })
                    precondition(done.wait())
                    subscription.dispose()
                    let merged = Observable.merge(
                        (0..<50).map { number in Observable.of(number, number).subscribe(on: pool).observe(on: pool) }
                    ).subscribe(onCompleted: { done.fire() })
                    precondition(done.wait())
                    merged.dispose()
                    pool.shutdown()
                }
                let isBack = await eventually { Resources.total == before }
                precondition(isBack, "\(Resources.census())")
            }
        }
    #endif
}
