// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct BoundedPoolSchedulerTests {
    // MARK: Order

    @Test("A pool of one starts the work of one thread in order") func orderOfSubmission() {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 1)
        nonisolated(unsafe) var seen: [Int] = []
        for round in 0..<20 {
            if round % 2 == 0 { pool.suspend() }
            for number in 0..<1_000 { pool.run { seen.append(round * 1_000 + number) } }
            pool.resume()
        }
        pool.shutdown()
        #expect(seen == Array(0..<20_000))
    }

    @Test("A second worker takes the work behind an occupied worker in order") func occupiedWorker() {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2)
        let gate = pool.occupy()
        nonisolated(unsafe) var seen: [Int] = []
        for number in 0..<5_000 { pool.run { seen.append(number) } }
        let done = OneShot()
        pool.run { done.fire() }
        #expect(done.wait())
        #expect(seen == Array(0..<5_000))
        gate.fire()
        pool.shutdown()
    }

    @Test(
        "Nested work runs in the configured order",
        arguments: [BoundedPoolScheduler.NestedOrder.oldestFirst, .newestFirst])
    func nestedOrder(order: BoundedPoolScheduler.NestedOrder) {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 1, nestedOrder: order)
        let log = EventLog()
        let done = OneShot()
        pool.run {
            for name in ["a", "b", "c"] {
                pool.run {
                    log.note(name)
                    done.fire()
                }
            }
        }
        for _ in 0..<3 { #expect(done.wait()) }
        #expect(log.text == (order == .oldestFirst ? "a b c" : "c b a"))
    }

    @Test("The events of one hop come in order and one at a time") func hopOrder() {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 4)
        let sources = (0..<3).map { _ in PublishSubject<Int>() }
        let done = OneShot()
        let overlaps = sources.map { _ in OverlapDetector() }
        nonisolated(unsafe) var seen: [[Int]] = sources.map { _ in [] }
        let lists = UnsafeMutablePointer<[Int]>.allocate(capacity: 3)
        lists.initialize(repeating: [], count: 3)
        nonisolated(unsafe) let list = lists
        let subscriptions = sources.enumerated().map { index, source in
            source.observe(on: pool).subscribe(
                onNext: { element in
                    overlaps[index].enter()
                    list[index].append(element)
                    overlaps[index].leave()
                }, onCompleted: { done.fire() })
        }
        race(
            sources.map { source in
                let source = source
                return {
                    for element in 0..<20_000 { source.onNext(element) }
                    source.onCompleted()
                }
            })
        for _ in sources { #expect(done.wait()) }
        for index in 0..<3 {
            seen[index] = list[index]
            #expect(seen[index] == Array(0..<20_000))
            #expect(!overlaps[index].overlapped)
        }
        for subscription in subscriptions { subscription.dispose() }
        lists.deinitialize(count: 3)
        lists.deallocate()
    }

    // MARK: States

    /// Small plain states lie in the scheduled object, others do not.
    @Test("States of any kind reach their action and are released") func anyState() async {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2)
        let released = AtomicCounter(0)
        let wrong = AtomicCounter(0)
        let ran = AtomicCounter(0)
        func check<State: Sendable>(_ state: State, _ isRight: @escaping @Sendable (State) -> Bool) {
            for isDisposed in [false, true] {
                let token = ReleaseToken { released.increment() }
                if isDisposed { pool.suspend() }
                let disposable = pool.schedule(state) { state in
                    if !isRight(state) { wrong.increment() }
                    ran.increment()
                    return withExtendedLifetime(token) { Disposables.create() }
                }
                if isDisposed {
                    disposable.dispose()
                    pool.resume()
                }
            }
        }
        struct Watcher: @unchecked Sendable { weak var token: ReleaseToken? }
        let kept = ReleaseToken(7)
        check(()) { true }
        check(42) { $0 == 42 }
        check(UInt8(7)) { $0 == 7 }
        check((1, 2)) { $0 == (1, 2) }
        check((1, 2, 3, 4, 5)) { $0.0 == 1 && $0.4 == 5 }
        check(SIMD4<UInt64>(1, 2, 3, 4)) { $0[3] == 4 }
        check("a string that does not fit into a word") { $0.hasSuffix("word") }
        check(ReleaseToken(3) { released.increment() }) { $0.number == 3 }
        check(Watcher(token: kept)) { $0.token?.number == 7 }
        check(nil as Int?) { $0 == nil }
        pool.shutdown()
        #expect(wrong.value == 0)
        #expect(ran.value == 10)
        // A token for each, and the one that is a state.
        #expect(await eventually { released.value == 21 })
        withExtendedLifetime(kept) {}
    }

    // MARK: How many at once

    @Test("A pool never runs more actions at once than its limit", arguments: [1, 2, 3, 8])
    func upperLimit(limit: Int) {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: limit)
        let running = AtomicWord(0)
        let most = AtomicWord(0)
        let left = AtomicCounter(3 * 400 * 2)
        let done = OneShot()
        @Sendable func work(_ nested: Bool) {
            let now = running.fetchAdd(1) + 1
            var known = most.loadAcquiring()
            while now > known, !most.compareExchange(known, now) { known = most.loadAcquiring() }
            if !nested { pool.run { work(true) } }
            for _ in 0..<50 { _ = running.loadAcquiring() }
            _ = running.fetchAdd(0 &- 1)
            if left.decrement() == 0 { done.fire() }
        }
        race((0..<3).map { _ in { for _ in 0..<400 { pool.run { work(false) } } } })
        #expect(done.wait())
        #expect(most.loadAcquiring() <= UInt(limit))
    }

    /// All of them have to run at the same time, or none would come to its end.
    @Test("A pool runs as many actions at once as its limit", arguments: [1, 2, 5], [false, true])
    func fullLimit(limit: Int, isNested: Bool) {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: limit)
        for _ in 0..<100 {
            let missing = AtomicCounter(limit)
            let done = OneShot()
            let meet: @Sendable () -> Void = {
                missing.decrement()
                let begin = MonotonicClock.now()
                while missing.value > 0, MonotonicClock.now() - begin < 20_000_000_000 { sched_yield() }
                done.fire()
            }
            if isNested {
                pool.run {
                    for _ in 1..<max(limit, 1) { pool.run(meet) }
                    meet()
                }
            } else {
                for _ in 0..<limit { pool.run(meet) }
            }
            for _ in 0..<limit { #expect(done.wait()) }
            #expect(missing.value == 0)
        }
    }

    /// Several workers wait for jobs in their own deques, while another worker keeps submitting work to itself.
    @Test("Idle workers take the nested jobs of busy workers", arguments: [false, true])
    func stealing(besideAChain: Bool) {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: besideAChain ? 4 : 3)
        let isOver = AtomicWord(0)
        @Sendable func chain() { if isOver.loadAcquiring() == 0 { pool.run { chain() } } }
        if besideAChain { chain() }
        for _ in 0..<50 {
            let left = AtomicCounter(2)
            let done = OneShot()
            for _ in 0..<2 {
                pool.run {
                    pool.run { left.decrement() }
                    let begin = MonotonicClock.now()
                    while left.value > 0, MonotonicClock.now() - begin < 20_000_000_000 { sched_yield() }
                    done.fire()
                }
            }
            #expect(done.wait() && done.wait())
            #expect(left.value == 0)
        }
        isOver.storeReleasing(1)
        pool.shutdown()
    }

    @Test("A pool starts its threads with the first work") func lazyThreads() async {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 3, name: "lazy pool")
        #expect(threadCount(named: "lazy pool") == 0)
        let gate = pool.occupy()
        #expect(threadCount(named: "lazy pool") == 1)
        gate.fire()
        let all = pool.occupy(3)
        #expect(threadCount(named: "lazy pool") == 3)
        for _ in 0..<3 { all.fire() }
    }

    @Test("A limit outside of 1 to 65,535 stops the program") func invalidLimit() async {
        await #expect(processExitsWith: .failure) { _ = BoundedPoolScheduler(maxConcurrentOperationCount: 0) }
        await #expect(processExitsWith: .failure) { _ = BoundedPoolScheduler(maxConcurrentOperationCount: 65_536) }
    }

    @Test("An idle pool uses no processor time") func idleProcessorTime() async {
        await #expect(processExitsWith: .success) {
            let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 4)
            let gate = pool.occupy(4)
            for _ in 0..<4 { gate.fire() }
            usleep(50_000)
            let before = clock()
            usleep(300_000)
            let used = Double(clock() - before) / Double(CLOCKS_PER_SEC)
            precondition(used < 0.05, "used \(used) s of processor time")
            withExtendedLifetime(pool) {}
        }
    }

    // MARK: Priorities

    @Test("Higher priorities run first") func priorityOrder() {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 1)
        pool.suspend()
        let lock = Mutex()
        nonisolated(unsafe) var seen: [BoundedPoolScheduler.Priority] = []
        for _ in 0..<4 {
            for priority in [2, 0, 4, 1, 3].map({ BoundedPoolScheduler.Priority(rawValue: $0)! }) {
                pool.prioritized(priority).run { lock.withLock { seen.append(priority) } }
            }
        }
        pool.shutdown()
        #expect(seen == BoundedPoolScheduler.Priority.allCases.reversed().flatMap { Array(repeating: $0, count: 4) })
    }

    @Test("Nested work of higher priority runs first") func nestedPriority() {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 1, priority: .utility)
        let log = EventLog()
        let done = OneShot()
        pool.run {
            pool.run {
                log.note("utility")
                done.fire()
            }
            pool.prioritized(.background).run {
                log.note("background")
                done.fire()
            }
            pool.prioritized(.userInitiated).run {
                log.note("userInitiated")
                done.fire()
            }
        }
        for _ in 0..<3 { #expect(done.wait()) }
        #expect(log.text == "userInitiated utility background")
        #expect(pool.priority == .utility && pool.prioritized(.background).priority == .background)
        #expect(BoundedPoolScheduler.Priority.background < .userInteractive)
    }

    /// Endless work of all higher priorities, and endless nested work of the same priority, starves no action.
    @Test(
        "Every priority makes progress under endless work of higher ones",
        arguments: BoundedPoolScheduler.Priority.allCases, [BoundedPoolScheduler.NestedOrder.oldestFirst, .newestFirst])
    func noStarvation(priority: BoundedPoolScheduler.Priority, order: BoundedPoolScheduler.NestedOrder) {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2, nestedOrder: order)
        let isOver = AtomicWord(0)
        @Sendable func repeatForEver(_ scheduler: BoundedPoolScheduler) {
            if isOver.loadAcquiring() == 0 { scheduler.run { repeatForEver(scheduler) } }
        }
        for higher in BoundedPoolScheduler.Priority.allCases where higher >= priority {
            let scheduler = pool.prioritized(higher)
            for _ in 0..<3 { repeatForEver(scheduler) }
            // The nested submissions need the same from the start.
            scheduler.run { for _ in 0..<3 { repeatForEver(scheduler) } }
        }
        let done = OneShot()
        pool.prioritized(priority).run { done.fire() }
        #expect(done.wait())
        pool.run { pool.prioritized(priority).run { done.fire() } }
        #expect(done.wait())
        isOver.storeReleasing(1)
    }

    // MARK: Suspending

    @Test("A suspended pool starts no action") func suspended() async {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2)
        let ran = AtomicCounter(0)
        let gate = pool.occupy()
        pool.suspend()
        #expect(pool.isSuspended && pool.prioritized(.background).isSuspended)
        for _ in 0..<100 { pool.run { ran.increment() } }
        _ = pool.scheduleRelative((), dueTime: .milliseconds(1)) { _ in
            ran.increment()
            return Disposables.create()
        }
        // The running action continues. The work that it submits waits as well.
        let finished = OneShot()
        gate.fire()
        try? await Task.sleep(nanoseconds: 30_000_000)
        #expect(ran.value == 0)
        pool.resume()
        #expect(!pool.isSuspended)
        pool.run { finished.fire() }
        #expect(finished.wait())
        #expect(await eventually { ran.value == 101 })
    }

    /// The race: suspending and resuming during submissions. Each worker may begin one action after `suspend` has returned.
    @Test("Suspending while workers take jobs admits one more action per worker") func suspendRace() {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2)
        let ran = AtomicCounter(0)
        let isOver = AtomicWord(0)
        let excess = AtomicCounter(0)
        nonisolated(unsafe) var handedOver = 0
        race(
            {
                for _ in 0..<150 {
                    pool.suspend()
                    let before = ran.value
                    usleep(100)
                    if ran.value - before > 2 { excess.increment() }
                    pool.resume()
                    jitter(before)
                }
                isOver.storeReleasing(1)
            },
            {
                while isOver.loadAcquiring() == 0 {
                    handedOver += 1
                    pool.run { ran.increment() }
                    if handedOver - ran.value > 10_000 { usleep(50) }
                }
            })
        pool.shutdown()
        #expect(excess.value == 0)
        #expect(ran.value == handedOver)
    }

    // MARK: Bounded stack

    @Test("A million nested actions in a row complete") func millionNested() {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2)
        let done = OneShot()
        let left = AtomicCounter(1_000_000)
        @Sendable func next() {
            pool.run { if left.decrement() == 0 { done.fire() } else { next() } }
        }
        next()
        #expect(done.wait(seconds: 120))
    }

    @Test("Recursion through the scheduler needs no stack") func deepRecursion() {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 1)
        let done = OneShot()
        let recursion = pool.scheduleRecursive(200_000) { left, recurse in
            if left == 0 { done.fire() } else { recurse(left - 1) }
        }
        #expect(done.wait(seconds: 120))
        recursion.dispose()
    }
}
