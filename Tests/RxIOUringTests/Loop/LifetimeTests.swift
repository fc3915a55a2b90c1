// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// The end of a loop whose scheduler is released.
@Suite struct LifetimeTests {
    @Test("The loop of a released scheduler runs the pending work and ends", arguments: Backend.built)
    func pendingWork(_ backend: Backend) async {
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

    @Test("The loop of a released scheduler ends if it has no work", arguments: Backend.built)
    func idle(_ backend: Backend) async {
        let descriptors = await settledDescriptorCount(backend)
        for _ in 0..<20 { _ = IOUringScheduler(backend: backend) }
        #expect(await eventually { threadCount() == 0 && descriptorCount() == descriptors })
    }

    @Test("A scheduler that is released on its own loop ends it", arguments: Backend.built)
    func releasedOnLoop(_ backend: Backend) async {
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

    @Test("The loop of a released scheduler ends after its last stream", arguments: Backend.built)
    func stream(_ backend: Backend) async {
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

    /// As with a dispatch queue, the subscription alone keeps the thread.
    @Test("A subscription that observes on a loop keeps the loop", arguments: Backend.built)
    func hop(_ backend: Backend) async {
        let subject = PublishSubject<Int>()
        let log = EventLog()
        let subscription = log.observe(subject.observe(on: IOUringScheduler(backend: backend)))
        for number in 0..<3 {
            // The loop has time enough to end.
            try? await Task.sleep(nanoseconds: 20_000_000)
            subject.onNext(number)
        }
        #expect(await eventually { log.text == "0 1 2" })
        #expect(threadCount() == 1)
        subscription.dispose()
        #expect(await eventually { threadCount() == 0 })
    }

    @Test("Delayed and periodic work keeps its loop", arguments: Backend.built)
    func delayedWork(_ backend: Backend) async {
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
        @Test("Timers and subscriptions leave no object or descriptor of their loop", arguments: Backend.built)
        func leftovers(_ backend: Backend) async {
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

    /// The fault: a socket got the number of a standard stream, and its peer what the program printed.
    @Test("A loop takes no number of a standard stream that is closed") func closedStandardStream() async {
        await #expect(processExitsWith: .success) {
            close(STDIN_FILENO)
            // A thread of the runtime may hold the number for a moment, so that a loop finds it open.
            for _ in 0..<100 {
                let scheduler = IOUringScheduler()
                defer { scheduler.shutdown() }
                var target = [CChar](repeating: 0, count: 64)
                if readlink("/proc/self/fd/0", &target, target.count - 1) <= 0 { continue }
                let path = String(cString: target)
                if path == "/dev/null" { exit(0) }
                precondition(!path.hasPrefix("anon_inode:"), "the loop took the number")
            }
            exit(1)
        }
    }

    /// The fault: the chain kept itself, and with it the descriptors of the loop.
    @Test("A discarded interval keeps nothing of a loop that was shut down", arguments: Backend.built, [true, false])
    func discardedInterval(_ backend: Backend, isShutDownBefore: Bool) {
        leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            if isShutDownBefore { scheduler.shutdown() }
            _ = Observable<Int>.interval(.seconds(1_000), scheduler: scheduler).map { $0 }.subscribe(onNext: { _ in })
            scheduler.shutdown()
        }
    }

    /// The fault: the loop misses a dispose that races with the rearming, and the timer keeps the loop for an hour.
    @Test("A periodic timer that is disposed of while the loop rearms it does not stay", arguments: Backend.built)
    func rearmedTimer(_ backend: Backend) async {
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

    /// The number of open descriptors after the loops of other tests have ended, with those that a process opens once.
    private func settledDescriptorCount(_ backend: Backend) async -> Int {
        let done = OneShot()
        let scheduler = IOUringScheduler(backend: backend)
        let subscription = File.read("/proc/self/stat", scheduler: scheduler).subscribe(onDisposed: { done.fire() })
        #expect(done.wait())
        subscription.dispose()
        scheduler.shutdown()
        #expect(await eventually { threadCount() == 0 })
        try? await Task.sleep(nanoseconds: 10_000_000)
        return descriptorCount() - backend.descriptorCount
    }
}
