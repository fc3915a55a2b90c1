// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct LoopExecutorTests {
    private actor Counter {
        private let scheduler: IOUringScheduler
        private(set) var bytes = 0
        private(set) var onLoop = 0

        init(_ scheduler: IOUringScheduler) { self.scheduler = scheduler }

        nonisolated var unownedExecutor: UnownedSerialExecutor { scheduler.asUnownedSerialExecutor() }

        func increment() { onLoop += scheduler.isCurrent ? 1 : 0 }

        func read(_ path: String) -> any Disposable {
            File.read(path, scheduler: scheduler).subscribe(onNext: { chunk in
                self.assumeIsolated { $0.bytes += chunk.count }
            })
        }
    }

    @Test("An actor and a file share a loop's thread", arguments: Backend.built)
    func shared(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let path = folder.put(pattern(300_000), into: "a")
            let counter = Counter(scheduler)
            let subscription = await counter.read(path)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { for _ in 0..<500 { await counter.increment() } }
                }
            }
            #expect(await counter.onLoop == 2_000)
            while await counter.bytes < 300_000 { await Task.yield() }
            subscription.dispose()
        }
    }

    /// A file whose observer is the actor's code, on the loop's thread, also while the loop ends.
    private actor Overlap {
        private let scheduler: IOUringScheduler
        private var isInside = false
        private(set) var overlaps = 0

        init(_ scheduler: IOUringScheduler) { self.scheduler = scheduler }

        nonisolated var unownedExecutor: UnownedSerialExecutor { scheduler.asUnownedSerialExecutor() }

        func visit() {
            if isInside { overlaps += 1 }
            isInside = true
            usleep(100)
            isInside = false
        }

        func follow(_ path: String) -> any Disposable {
            File.read(path, scheduler: scheduler).subscribe(onError: { _ in
                self.assumeIsolated { actor in
                    for _ in 0..<200 { actor.visit() }
                }
            })
        }
    }

    /// The fault: work that comes while the loop ends runs elsewhere at once, beside the callbacks of the end.
    @Test("An actor's code does not overlap while its loop ends", arguments: Backend.built)
    func overlap(_ backend: Backend) async {
        await leavingNothing(backend) { folder, _ in
            mkfifo(folder["pipe"], 0o600)
            let scheduler = IOUringScheduler(backend: backend)
            let actor = Overlap(scheduler)
            let subscription = await actor.follow(folder["pipe"])
            let tasks = (0..<4).map { _ in Task { for _ in 0..<100 { await actor.visit() } } }
            scheduler.shutdown()
            for task in tasks { await task.value }
            #expect(await actor.overlaps == 0)
            subscription.dispose()
        }
    }

    @Test("Tasks of an actor end also when its loop has ended", arguments: Backend.built)
    func ended(_ backend: Backend) async {
        let scheduler = IOUringScheduler(backend: backend)
        let counter = Counter(scheduler)
        let task = Task { for _ in 0..<10_000 { await counter.increment() } }
        await counter.increment()
        scheduler.shutdown()
        await task.value
        #expect(await counter.onLoop > 0)
    }

    /// The fault: they waited on the one thread for such actors, behind an actor that waited for the end of its loop.
    @Test("Actors of an ended loop do not wait for another loop that is ending", arguments: Backend.built)
    func endedBesideEnding(_ backend: Backend) async {
        await leavingNothing(backend) { folder, _ in
            mkfifo(folder["pipe"], 0o600)
            let (ended, ending) = (IOUringScheduler(backend: backend), IOUringScheduler(backend: backend))
            let (counter, other) = (Counter(ended), Counter(ending))
            ended.shutdown()
            let (isEnding, mayEnd, hasEnded) = (OneShot(), OneShot(), OneShot())
            let subscription = File.read(folder["pipe"], scheduler: ending).subscribe(onError: { _ in
                isEnding.fire()
                #expect(mayEnd.wait(seconds: 20))
            })
            Thread.detachNewThread {
                ending.shutdown()
                hasEnded.fire()
            }
            #expect(isEnding.wait(seconds: 10))
            let late = Task { for _ in 0..<100 { await other.increment() } }
            usleep(50_000)
            let start = MonotonicClock.now()
            for _ in 0..<100 { await counter.increment() }
            #expect(MonotonicClock.now() &- start < 5_000_000_000)
            mayEnd.fire()
            await late.value
            #expect(hasEnded.wait(seconds: 10))
            subscription.dispose()
        }
    }
}
