// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct ReusableJobTests {
    @Test("Posts of a waiting job cause one run, and posts of a running job one more", arguments: Backend.built)
    func coalescedPosts(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let (begun, gate) = (OneShot(), OneShot())
        let runs = AtomicCounter(0)
        let job = scheduler.makeJob {
            runs.increment()
            if runs.value == 1 {
                begun.fire()
                _ = gate.wait()
            }
        }
        job.post()
        #expect(begun.wait())
        for _ in 0..<100 { job.post() }
        gate.fire()
        scheduler.shutdown()
        #expect(runs.value == 2)
    }

    /// The fault: the handler of a rejected post releases the job, and so its loop, within that post.
    @Test("A job may be released within its post", arguments: Backend.built)
    func releasedInPost(_ backend: Backend) {
        let before = Hooks.workRejectedHandler
        defer { Hooks.workRejectedHandler = before }
        for _ in 0..<100 {
            nonisolated(unsafe) var jobs: [ReusableJob] = []
            let rejected = AtomicCounter(0)
            do {
                let scheduler = IOUringScheduler(backend: backend)
                jobs.append(scheduler.makeJob {})
                scheduler.shutdown()
            }
            Hooks.workRejectedHandler = { _, _ in
                rejected.increment()
                jobs = []
            }
            jobs[0].post()
            #expect(rejected.value == 1 && jobs.isEmpty)
        }
    }

    @Test("A job can post itself", arguments: Backend.built)
    func selfPost(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        nonisolated(unsafe) var count = 0
        nonisolated(unsafe) var job: ReusableJob!
        let done = OneShot()
        job = scheduler.makeJob {
            count += 1
            if count == 10_000 { done.fire() } else { job.post() }
        }
        job.post()
        #expect(done.wait())
        scheduler.shutdown()
        job = nil
    }

    /// The race: threads post a job while it runs, and the run that follows sees their writes.
    @Test("A run sees the writes before its post", arguments: Backend.built)
    func visibility(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let threads = 3
        let words = (0..<threads).map { _ in Box() }
        let seen = (0..<threads).map { _ in AtomicCounter(0) }
        let job = scheduler.makeJob {
            for thread in 0..<threads {
                let value = Int(words[thread].word.loadRelaxed())
                while seen[thread].value < value { seen[thread].increment() }
            }
        }
        let missed = AtomicCounter(0)
        race(
            (0..<threads).map { thread in
                {
                    for number in 1...stepCount(5_000, debug: 2_000) {
                        words[thread].word.storeRelaxed(UInt(number))
                        job.post()
                        if number % 64 != 0 { continue }
                        var spins = 0
                        while seen[thread].value < number, spins < 1_000_000 {
                            spins += 1
                            if spins > 100 { sched_yield() }
                        }
                        if seen[thread].value < number { missed.increment() }
                    }
                }
            })
        #expect(missed.value == 0)
        scheduler.shutdown()
    }

    @Test("Each post after a shutdown is reported", arguments: Backend.built)
    func afterShutdown(_ backend: Backend) {
        let rejections = RejectionCounter()
        defer { rejections.stop() }
        let scheduler = IOUringScheduler(backend: backend)
        let job = scheduler.makeJob {}
        scheduler.shutdown()
        for _ in 0..<3 { job.post() }
        #expect(rejections.value == 3)
    }

    @Test("A job keeps its loop", arguments: Backend.built)
    func keptLoop(_ backend: Backend) async {
        let done = OneShot()
        var job: ReusableJob? = IOUringScheduler(name: "job", backend: backend).makeJob { done.fire() }
        usleep(20_000)
        job?.post()
        #expect(done.wait(seconds: 5))
        job = nil
        #expect(await eventually { threadCount(named: "job") == 0 })
    }

    /// The race: the job is released while its body runs or waits. The body runs once per post, and is released then.
    @Test("A job that is released after its post still runs", arguments: Backend.built)
    func releasedAfterPost(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let released = AtomicCounter(0)
            let runs = AtomicCounter(0)
            let rounds = stepCount(20_000, debug: 2_000)
            for round in 0..<rounds {
                let token = ReleaseToken { released.increment() }
                let job = scheduler.makeJob {
                    _ = token.number
                    runs.increment()
                }
                job.post()
                jitter(round)
            }
            scheduler.performAndWait {}
            #expect(runs.value == rounds)
            #expect(soon { released.value == rounds })
        }
    }

    @Test("A job can release itself", arguments: Backend.built)
    func selfRelease(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let released = OneShot()
            nonisolated(unsafe) var job: ReusableJob?
            do {
                let token = ReleaseToken { released.fire() }
                scheduler.performAndWait {
                    job = scheduler.makeJob {
                        job = nil
                        _ = token.number
                    }
                    job?.post()
                }
            }
            #expect(released.wait())
        }
    }

    @Test("A job that is released after a shutdown is freed", arguments: Backend.built)
    func releasedLate(_ backend: Backend) {
        let rejections = RejectionCounter()
        defer { rejections.stop() }
        onLoop(backend) { scheduler in
            let released = OneShot()
            do {
                let token = ReleaseToken { released.fire() }
                let job = scheduler.makeJob { _ = token.number }
                scheduler.shutdown()
                job.post()
            }
            #expect(released.wait())
        }
        #expect(rejections.value == 1)
    }

    private final class Box: @unchecked Sendable {
        let word = AtomicWord(0)
    }
}
