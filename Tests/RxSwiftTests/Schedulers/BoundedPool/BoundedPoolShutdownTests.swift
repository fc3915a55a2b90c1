// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite(.serialized) struct BoundedPoolShutdownTests {
    @Test("A shutdown waits for the work submitted before it", arguments: [1, 2, 4], [false, true])
    func waitsForWork(limit: Int, isSuspended: Bool) async {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: limit, name: "shut down")
        if isSuspended { pool.suspend() }
        let ran = AtomicCounter(0)
        for _ in 0..<1_000 { pool.run { ran.increment() } }
        pool.run {
            usleep(20_000)
            ran.increment()
        }
        pool.shutdown()
        #expect(ran.value == 1_001)
        #expect(!pool.isSuspended)
        #expect(await eventually { threadCount(named: "shut down") == 0 })
        pool.shutdown()
        pool.suspend()
        #expect(!pool.isSuspended)
    }

    @Test("A pool without work shuts down") func unusedPool() {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2)
        pool.shutdown()
        let suspended = BoundedPoolScheduler(maxConcurrentOperationCount: 2)
        suspended.suspend()
        suspended.shutdown()
        suspended.shutdown()
    }

    @Test("Several threads may shut a pool down at once") func concurrentShutdown() {
        for round in 0..<100 {
            let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2)
            let ran = AtomicCounter(0)
            if round % 3 == 0 { pool.suspend() }
            for _ in 0..<round % 4 * 5 { pool.run { ran.increment() } }
            let missed = AtomicCounter(0)
            let end: @Sendable () -> Void = {
                jitter(round)
                pool.shutdown()
                if ran.value != round % 4 * 5 { missed.increment() }
            }
            race(end, end, end)
            #expect(missed.value == 0)
        }
    }

    @Test("A shutdown on a worker does not wait for itself") func shutdownOnWorker() async {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2, name: "shut inside")
        let done = OneShot()
        let ran = AtomicCounter(0)
        for _ in 0..<2 {
            pool.run {
                for _ in 0..<10 { pool.run { ran.increment() } }
                usleep(5_000)
                pool.shutdown()
                done.fire()
            }
        }
        #expect(done.wait() && done.wait())
        pool.shutdown()
        // The second one may have come after the first one's shutdown.
        #expect(ran.value == 20 || ran.value == 10)
        #expect(await eventually { threadCount(named: "shut inside") == 0 })
    }

    @Test("Work after the shutdown is rejected, released and reported") func lateWork() async {
        let rejections = RejectionLog()
        defer { rejections.end() }
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2, name: "rejecting")
        pool.shutdown()
        weak var token: ReleaseToken?
        var disposables: [any Disposable] = []
        do {
            let captured = ReleaseToken()
            token = captured
            disposables = [
                pool.schedule(captured) { _ in
                    Issue.record("was rejected")
                    return Disposables.create()
                },
                pool.prioritized(.background).scheduleRelative(captured, dueTime: .milliseconds(1)) { _ in
                    Issue.record("was rejected")
                    return Disposables.create()
                },
                pool.schedulePeriodic(captured, startAfter: .milliseconds(1), period: .milliseconds(1)) { state in
                    Issue.record("was rejected")
                    return state
                },
            ]
        }
        #expect(token == nil)
        #expect(rejections["rejecting"] == 3)
        #expect(disposables.allSatisfy { ($0 as? any Cancelable)?.isDisposed == true })
        let log = EventLog()
        _ = Observable.just(1).observe(on: pool).subscribe { log.note("\($0)") }
        #expect(rejections["rejecting"] == 4)
        waitForDeputies()
        #expect(log.lines == ["error(the scheduler rejecting has ended, and elements are missing)"])
    }

    @Test("Nested work after the shutdown is rejected") func lateNestedWork() {
        let rejections = RejectionLog()
        defer { rejections.end() }
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 1, name: "nested rejection")
        let isShutDown = OneShot()
        let ran = AtomicCounter(0)
        let begun = OneShot()
        pool.run {
            begun.fire()
            _ = isShutDown.wait()
            pool.run { ran.increment() }
        }
        #expect(begun.wait())
        race(
            { pool.shutdown() },
            {
                while rejections["nested rejection"] == 0 {
                    pool.run { ran.increment() }
                    usleep(100)
                }
                isShutDown.fire()
            })
        #expect(rejections["nested rejection"] == 2)
    }

    @Test("A shutdown drops and releases timers that are not due") func pendingTimers() async {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2)
        weak var token: ReleaseToken?
        var kept: [any Disposable] = []
        do {
            let captured = ReleaseToken()
            token = captured
            for index in 0..<1_000 {
                kept.append(
                    pool.scheduleRelative(captured, dueTime: index % 7 == 0 ? .never : .seconds(100 + index)) { _ in
                        Issue.record("was dropped")
                        return Disposables.create()
                    })
            }
            kept.append(pool.schedulePeriodic(captured, startAfter: .milliseconds(1), period: .milliseconds(1)) { $0 })
            usleep(5_000)
        }
        #expect(token != nil)
        pool.shutdown()
        #expect(await eventually { token == nil })
        #expect(kept.allSatisfy { ($0 as? any Cancelable)?.isDisposed == true })
    }

    /// A hop with more events than one turn takes submits itself again.
    @Test("A shutdown delivers the events that a hop has received") func receivedEvents() {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 1)
        let gate = pool.occupy()
        let subject = PublishSubject<Int>()
        let seen = AtomicCounter(0)
        let subscription = subject.observe(on: pool).subscribe(onNext: { _ in seen.increment() })
        for number in 0..<5_000 { subject.onNext(number) }
        race(
            { pool.shutdown() },
            {
                usleep(5_000)
                gate.fire()
            })
        #expect(seen.value == 5_000)
        subscription.dispose()
    }

    /// The race: other threads and workers submit work during the shutdown.
    @Test("Each action that races with the shutdown runs or is rejected") func ranOrRejected() {
        let rejections = RejectionLog()
        defer { rejections.end() }
        for round in 0..<200 {
            let name = "round \(round)"
            let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 1 + round % 3, name: name)
            let ran = AtomicCounter(0)
            let handedOver = AtomicCounter(0)
            let released = AtomicCounter(0)
            @Sendable func submit(_ nested: Int) {
                handedOver.increment()
                let token = ReleaseToken { released.increment() }
                let scheduler = pool.prioritized(round % 2 == 0 ? .normal : .utility)
                scheduler.run {
                    ran.increment()
                    withExtendedLifetime(token) {}
                    if nested > 0 { submit(nested - 1) }
                }
            }
            let producer: @Sendable () -> Void = { for _ in 0..<50 { submit(3) } }
            race(
                producer, producer,
                {
                    for _ in 0..<round % 20 { jitter(63) }
                    pool.shutdown()
                })
            pool.shutdown()
            #expect(ran.value + rejections[name] == handedOver.value)
            #expect(released.value == handedOver.value)
        }
    }

    // MARK: Without a shutdown

    @Test("Submitted work outlives the last reference to its pool", arguments: [false, true])
    func lastReference(isSuspended: Bool) async {
        let ran = AtomicCounter(0)
        do {
            let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2, name: "forgotten")
            if isSuspended { pool.suspend() }
            for _ in 0..<500 { pool.run { ran.increment() } }
        }
        #expect(await eventually { ran.value == 500 && threadCount(named: "forgotten") == 0 })
    }

    @Test("A worker may release the last reference to its pool") func releaseOnWorker() async {
        for _ in 0..<100 {
            let ran = AtomicCounter(0)
            do {
                let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2, name: "gone inside")
                pool.run {
                    usleep(100)
                    withExtendedLifetime(pool) {}
                    for _ in 0..<5 { pool.run { ran.increment() } }
                }
            }
            #expect(await eventually { ran.value == 5 })
        }
        #expect(await eventually { threadCount(named: "gone inside") == 0 })
    }

    @Test("A timer keeps its pool until it has run") func timerKeepsPool() async {
        let done = OneShot()
        _ = BoundedPoolScheduler(maxConcurrentOperationCount: 1, name: "timed").scheduleRelative(
            (), dueTime: .milliseconds(20)
        ) { _ in
            done.fire()
            return Disposables.create()
        }
        #expect(done.wait())
        #expect(await eventually { threadCount(named: "timed") == 0 })
    }

    enum LateWork: CaseIterable, Sendable { case delayed, delayedAndKept, interval, hop }

    /// The fault: jobs that waited in a suspended pool held it, and nothing resumed it, so the work submitted before never ran.
    @Test("Jobs of actions and subscriptions do not keep a suspended pool", arguments: LateWork.allCases)
    func suspendedJobs(work: LateWork) async {
        let ran = AtomicCounter(0)
        var kept: (any Disposable)?
        do {
            let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 1, name: "suspended")
            pool.suspend()
            pool.run { ran.increment() }
            switch work {
            case .delayed, .delayedAndKept:
                let delayed = pool.scheduleRelative((), dueTime: .milliseconds(1)) { _ in Disposables.create() }
                if work == .delayedAndKept { kept = delayed }
                usleep(5_000)
            case .interval:
                let subscription = Observable<Int>.interval(.milliseconds(1), scheduler: pool).subscribe()
                usleep(5_000)
                subscription.dispose()
            case .hop: Observable.just(1).observe(on: pool.prioritized(.utility)).subscribe().dispose()
            }
        }
        #expect(await eventually { ran.value == 1 })
        // A disposable refers to its pool.
        withExtendedLifetime(kept) {}
        kept = nil
        #expect(await eventually { threadCount(named: "suspended") == 0 })
    }

    @Test("A pool that was never used leaves nothing behind") func neverUsed() {
        for _ in 0..<100 { _ = BoundedPoolScheduler(maxConcurrentOperationCount: 3) }
    }
}
