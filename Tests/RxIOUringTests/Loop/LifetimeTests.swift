import Foundation
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// What becomes of a loop whose scheduler nobody holds any more.
@Suite struct LifetimeTests {
    typealias Backend = IOUringScheduler.Backend

    @Test(arguments: Backend.built)
    func releasedWithWorkPendingTheLoopRunsItAndEnds(_ backend: Backend) async {
        let descriptors = await settledDescriptorCount(backend)
        let log = EventLog()
        do {
            let scheduler = IOUringScheduler(backend: backend)
            let gate = OneShot()
            scheduler.run { _ = gate.wait() }
            for number in 0..<3 { scheduler.run { log.note("\(number)") } }
            _ = scheduler.scheduleRelative((), dueTime: .milliseconds(30)) { _ in
                log.note("timer")
                return Disposables.create()
            }
            gate.fire()
        }
        #expect(await eventually { threadCount() == 0 && descriptorCount() == descriptors })
        #expect(log.text == "0 1 2 timer")
    }

    @Test(arguments: Backend.built)
    func releasedWithoutWorkItEnds(_ backend: Backend) async {
        let descriptors = await settledDescriptorCount(backend)
        for _ in 0..<20 { _ = IOUringScheduler(backend: backend) }
        #expect(await eventually { threadCount() == 0 && descriptorCount() == descriptors })
    }

    @Test(arguments: Backend.built)
    func releasedOnTheLoopItself(_ backend: Backend) async {
        let ran = OneShot()
        do {
            nonisolated(unsafe) var held: IOUringScheduler? = IOUringScheduler(backend: backend)
            let begun = OneShot()
            let gate = OneShot()
            held?.run {
                begun.fire()
                _ = gate.wait()
                held = nil
                ran.fire()
            }
            #expect(begun.wait())
            gate.fire()
            #expect(ran.wait())
        }
        #expect(await eventually { threadCount() == 0 })
    }

    @Test(arguments: Backend.built)
    func releasedWithAStreamItEndsBehindTheStream(_ backend: Backend) async {
        let descriptors = await settledDescriptorCount(backend)
        let chunks = AtomicCounter(0)
        let some = OneShot()
        let subscription = File.read("/dev/zero", chunkSize: 64, scheduler: IOUringScheduler(backend: backend))
            .subscribe(
                onNext: { _ in
                    chunks.increment()
                    if chunks.value == 100 { some.fire() }
                })
        #expect(some.wait())
        #expect(threadCount() == 1)
        subscription.dispose()
        #expect(await eventually { threadCount() == 0 && descriptorCount() == descriptors })
    }

    /// A subscription is enough to keep the thread, as it is with a dispatch queue.
    @Test(arguments: Backend.built)
    func aSubscriptionThatObservesOnItKeepsTheLoop(_ backend: Backend) async {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let subscription = log.observe(subject.observe(on: IOUringScheduler(backend: backend)))
        for number in 0..<3 {
            // Time enough to end.
            try? await Task.sleep(nanoseconds: 20_000_000)
            subject.onNext(number)
        }
        #expect(await eventually { log.text == "0 1 2" })
        #expect(threadCount() == 1)
        subscription.dispose()
        #expect(await eventually { threadCount() == 0 })
    }

    @Test(arguments: Backend.built)
    func delayedAndPeriodicWorkKeepsTheLoop(_ backend: Backend) async {
        let log = EventLog()
        let done = OneShot()
        let subscription = log.observe(
            Observable<Int>.interval(.milliseconds(5), scheduler: IOUringScheduler(backend: backend)).take(4)
                .delay(.milliseconds(5), scheduler: IOUringScheduler(backend: backend))
        ) { if $0.isCompleted { done.fire() } }
        #expect(done.wait())
        #expect(log.text == "0 1 2 3 completed")
        subscription.dispose()
        #expect(await eventually { threadCount() == 0 })
    }

    #if TRACE_RESOURCES
        @Test(arguments: Backend.built)
        func nothingIsLeftBehind(_ backend: Backend) async {
            let descriptors = await settledDescriptorCount(backend)
            await quiet { Int(Resources.total) }
            let before = Resources.total
            for round in 0..<20 {
                let scheduler = IOUringScheduler(backend: backend)
                let done = OneShot()
                _ = scheduler.scheduleRelative((), dueTime: .microseconds(50)) { _ in
                    done.fire()
                    return Disposables.create()
                }
                #expect(done.wait())
                _ = scheduler.scheduleRelative((), dueTime: .seconds(50)) { _ in Disposables.create() }.dispose()
                let subscription = Observable<Int>.interval(.microseconds(200), scheduler: scheduler)
                    .debounce(.microseconds(100), scheduler: scheduler).observe(on: scheduler).subscribe()
                usleep(1_000)
                subscription.dispose()
                if round % 2 == 0 { scheduler.shutdown() }
            }
            #expect(await eventually { Resources.total <= before && descriptorCount() == descriptors })
            #expect(Resources.total <= before, "\(Resources.census())")
        }
    #endif

    /// The race: a timer is disposed of while the loop arms it anew. Were it missed, it would keep the loop for an hour.
    @Test(arguments: Backend.built)
    func aPeriodicTimerDisposedOfWhileItIsArmedAnewDoesNotStay(_ backend: Backend) async {
        do {
            let scheduler = IOUringScheduler(backend: backend)
            for round in 0..<stepCount(20_000, debug: 5_000) {
                let running = AtomicWord(0)
                let periodic = scheduler.schedulePeriodic((), startAfter: .nanoseconds(0), period: .seconds(3_600)) {
                    _ in
                    running.storeReleasing(1)
                }
                while running.loadAcquiring() == 0 {}
                jitter(round)
                periodic.dispose()
            }
        }
        #expect(await eventually { threadCount() == 0 })
    }

    /// Behind all loops of other tests, and with what a process makes once.
    private func settledDescriptorCount(_ backend: Backend) async -> Int {
        let done = OneShot()
        let scheduler = IOUringScheduler(backend: backend)
        let subscription = File.read("/proc/self/stat", scheduler: scheduler).subscribe(onDisposed: done.fire)
        #expect(done.wait())
        subscription.dispose()
        scheduler.shutdown()
        #expect(await eventually { threadCount() == 0 })
        try? await Task.sleep(nanoseconds: 10_000_000)
        return descriptorCount() - 2
    }
}
