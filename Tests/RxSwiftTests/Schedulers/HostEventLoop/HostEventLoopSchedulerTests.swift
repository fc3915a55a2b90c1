// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct HostEventLoopSchedulerTests {
    @Test("Hops, actions and timers without a delay share one order and one body") func order() {
        let loop = ManualHostLoop()
        let scheduler = HostEventLoopScheduler(loop)
        let log = EventLog()
        let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
        let subscriptions = [
            log.observe(first.observe(on: scheduler), "x"), log.observe(second.observe(on: scheduler), "y"),
        ]
        func note(_ text: String) -> @Sendable (()) -> any Disposable {
            { _ in
                log.note(text)
                return Disposables.create()
            }
        }
        first.onNext(1)
        second.onNext(1)
        _ = scheduler.schedule((), action: note("action"))
        first.onNext(2)
        _ = scheduler.scheduleRelative((), dueTime: .seconds(0), action: note("timer"))
        second.onNext(2)
        first.onCompleted()
        #expect(log.lines == [])
        #expect(loop.waitingCount == 1)
        loop.runAll()
        #expect(log.text == "x1 y1 action x2 timer y2 xcompleted")
        #expect(loop.enqueuedCounts.delayed == 0)
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test("A burst takes a body for each 512 events, and the loop's own work runs between them") func batches() {
        let loop = ManualHostLoop()
        let scheduler = HostEventLoopScheduler(loop)
        let subject = PublishSubject<Int>()
        nonisolated(unsafe) var seen: [Int] = []
        let subscription = subject.observe(on: scheduler).subscribe(onNext: { seen.append($0) })
        for number in 0..<2_000 { subject.onNext(number) }
        #expect(loop.waitingCount == 1)
        nonisolated(unsafe) var seenByOwnWork = 0
        loop.enqueue { seenByOwnWork = seen.count }
        loop.runAll()
        #expect(seen == Array(0..<2_000))
        #expect(seenByOwnWork > 0 && seenByOwnWork <= 512)
        subscription.dispose()
    }

    @Test("A body ends early when its steps are slow") func slowSteps() {
        let loop = ManualHostLoop()
        let subject = PublishSubject<Int>()
        nonisolated(unsafe) var seen = 0
        let subscription = subject.observe(on: HostEventLoopScheduler(loop)).subscribe(onNext: { _ in
            seen += 1
            let end = MonotonicClock.now() + 50_000
            while MonotonicClock.now() < end { spinHint() }
        })
        for number in 0..<200 { subject.onNext(number) }
        loop.runNext()
        #expect(seen > 0 && seen <= 50)
        loop.runAll()
        #expect(seen == 200)
        subscription.dispose()
    }

    @Test("Actions that schedule others for ever leave the loop's own work and timers their turns")
    func endlessActions() {
        let loop = ManualHostLoop()
        let scheduler = HostEventLoopScheduler(loop)
        let slot = SerialDisposable()
        @Sendable func again() {
            slot.disposable = scheduler.schedule(()) { _ in
                again()
                return Disposables.create()
            }
        }
        again()
        nonisolated(unsafe) var isDue = false
        _ = scheduler.scheduleRelative((), dueTime: .milliseconds(1)) { _ in
            isDue = true
            return Disposables.create()
        }
        nonisolated(unsafe) var ownRuns = 0
        loop.enqueue { ownRuns += 1 }
        // The first batch, and the body that sets the timer.
        for _ in 0..<4 { loop.runNext() }
        #expect(ownRuns == 1)
        usleep(2_000)
        loop.fireDelayed()
        #expect(isDue)
        slot.dispose()
    }

    /// A timer that comes too late to be on time the next time, too.
    @Test("A repeated timer that comes late does not wait behind submitted work") func lateTimer() {
        let loop = ManualHostLoop()
        let scheduler = HostEventLoopScheduler(loop)
        nonisolated(unsafe) var (ticks, actions) = (0, 0)
        let subscription = Observable<Int>.interval(.milliseconds(1), scheduler: scheduler).subscribe(onNext: { _ in
            ticks += 1
            usleep(3_000)
        })
        loop.runAll()
        for _ in 0..<1_000 {
            _ = scheduler.schedule(()) { _ in
                actions += 1
                return Disposables.create()
            }
        }
        usleep(2_000)
        loop.fireDelayed()
        loop.fireDelayed()
        #expect(ticks == 2 && actions == 0)
        subscription.dispose()
        loop.runAll()
        #expect(actions == 1_000)
    }

    @Test("A flood from other threads starves neither timers nor the loop's own work") func flood() {
        let loop = ThreadHostLoop()
        let scheduler = HostEventLoopScheduler(loop)
        let missing = AtomicCounter(2)
        let subject = PublishSubject<Int>()
        let subscription = subject.observe(on: scheduler).subscribe(onNext: { _ in
            for _ in 0..<50 { spinHint() }
        })
        let timer = scheduler.scheduleRelative((), dueTime: .milliseconds(20)) { _ in
            missing.decrement()
            return Disposables.create()
        }
        let sent = AtomicCounter(0)
        let flood: @Sendable () -> Void = {
            var number = 0
            while missing.value > 0, number < 3_000_000 {
                number += 1
                subject.onNext(number)
                if number == 10_000 { sent.increment() }
                if number == 10_000, sent.value == 1 { loop.enqueue { missing.decrement() } }
            }
        }
        race([flood, flood])
        #expect(missing.value == 0)
        subscription.dispose()
        timer.dispose()
    }

    @Test("Work is run after the scheduler was released, and releases the loop") func schedulerReleasedFirst() async {
        weak var loop: ThreadHostLoop?
        let done = OneShot()
        do {
            let made = ThreadHostLoop()
            loop = made
            let subject = PublishSubject<Int>()
            var scheduler: HostEventLoopScheduler? = HostEventLoopScheduler(made)
            weak let released = scheduler
            _ = subject.observe(on: scheduler!).subscribe(onCompleted: { done.fire() })
            for number in 0..<5_000 { subject.onNext(number) }
            subject.onCompleted()
            _ = scheduler?.scheduleRelative((), dueTime: .milliseconds(5)) { _ in
                done.fire()
                return Disposables.create()
            }
            scheduler = nil
            #expect(released == nil)
        }
        #expect(done.wait())
        #expect(done.wait())
        #expect(await eventually { loop == nil })
    }

    @Test("A scheduler keeps the loop that the program has released") func loopReleasedFirst() {
        let scheduler = HostEventLoopScheduler(ThreadHostLoop())
        let done = OneShot()
        _ = scheduler.schedule(()) { _ in
            done.fire()
            return Disposables.create()
        }
        #expect(done.wait())
    }

    @Test("The scheduler is current on its loop only") func isCurrent() {
        let scheduler = HostEventLoopScheduler(ThreadHostLoop(), name: "frames")
        let answer = AtomicCounter(0)
        let done = OneShot()
        _ = scheduler.schedule(()) { _ in
            if scheduler.isCurrent { answer.increment() }
            done.fire()
            return Disposables.create()
        }
        #expect(done.wait())
        #expect(answer.value == 1)
        #expect(!scheduler.isCurrent)
        #expect(scheduler.name == "frames")
    }

    @Test("Hops share the scheduler's queue, which names the loop that the caller holds") func sharedQueue() {
        let loop = ManualHostLoop()
        let queue = HostEventLoopScheduler(loop, name: "frames").timedJobs.runQueue
        #expect(queue?.nameIfHeldByCaller(mainQueueRuns: false) == nil)
        nonisolated(unsafe) var name: String?
        loop.enqueue { name = queue?.nameIfHeldByCaller(mainQueueRuns: false) }
        loop.runAll()
        #expect(name == "the event loop frames")
    }
}
