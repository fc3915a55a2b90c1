// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// A stream that keeps a pool busy lets other work have its turn, and a shutdown its end.
@Suite(.serialized) struct BoundedPoolFairnessTests {
    enum Stream: CaseIterable, Sendable { case source, hop, suspendingHop, recursion }

    /// Starts as many endless streams as the pool has workers, whose observers take `microseconds` for each element.
    private func occupy(_ pool: BoundedPoolScheduler, by stream: Stream, microseconds: UInt32) -> CompositeDisposable {
        let disposables = CompositeDisposable()
        let feeder = SerialDispatchQueueScheduler(internalSerialQueueName: "feeder")
        for _ in 0..<pool.maxConcurrentOperationCount {
            let elements: Observable<Int> =
                switch stream {
                case .source: .repeatElement(1, scheduler: pool)
                case .hop:
                    Observable<Int>.interval(.microseconds(100), scheduler: feeder)
                        .flatMap { _ in Observable.range(start: 0, count: 20) }.observe(on: pool)
                case .suspendingHop:
                    Observable.repeatElement(1, scheduler: feeder).observe(on: pool, buffer: 8, overflow: .suspend)
                case .recursion:
                    .create { observer in
                        pool.scheduleRecursive(0) { number, recursion in
                            observer.onNext(number)
                            recursion(number + 1)
                        }
                    }
                }
            _ = disposables.insert(elements.subscribe(onNext: { _ in usleep(microseconds) }))
        }
        return disposables
    }

    /// The fault: the worker took its own jobs first, and so a job that submits itself again and again kept all others waiting, for ever.
    @Test("Other work has its turn", arguments: Stream.allCases, [1, 2])
    func otherWork(stream: Stream, limit: Int) async {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: limit)
        let busy = occupy(pool, by: stream, microseconds: 500)
        usleep(50_000)
        let ran = AtomicCounter(0)
        let start = MonotonicClock.now()
        for _ in 0..<10 { pool.run { ran.increment() } }
        _ = pool.scheduleRelative((), dueTime: .milliseconds(1)) { _ in
            ran.increment()
            return Disposables.create()
        }
        pool.prioritized(.background).run { ran.increment() }
        #expect(await eventually { ran.value == 12 })
        // For ever, before. The lowest priority has one start in 160.
        #expect(MonotonicClock.now() - start < 5_000_000_000)
        busy.dispose()
        pool.shutdown()
    }

    /// The fault: a source's next elements counted as work that was submitted before.
    @Test("A shutdown does not wait for the end of an endless source", arguments: [Stream.source, .recursion])
    func endlessSource(stream: Stream) async {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2, name: "endless")
        let busy = occupy(pool, by: stream, microseconds: 10)
        usleep(20_000)
        let hasEnded = OneShot()
        Thread.detachNewThread {
            pool.shutdown()
            hasEnded.fire()
        }
        #expect(hasEnded.wait())
        #expect(await eventually { threadCount(named: "endless") == 0 })
        busy.dispose()
    }
}
