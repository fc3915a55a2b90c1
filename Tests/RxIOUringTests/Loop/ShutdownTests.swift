// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct ShutdownTests {
    @Test("Work submitted before the shutdown runs", arguments: Backend.built)
    func earlierWork(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let ran = AtomicCounter(0)
        for _ in 0..<10_000 { scheduler.run { ran.increment() } }
        scheduler.shutdown()
        #expect(ran.value == 10_000)
    }

    @Test("Work submitted after the shutdown is rejected, released and reported", arguments: Backend.built)
    func laterWork(_ backend: Backend) {
        let rejections = RejectionCounter()
        defer { rejections.stop() }
        let scheduler = IOUringScheduler(backend: backend)
        scheduler.shutdown()
        weak var token: ReleaseToken?
        var disposables: [any Disposable] = []
        do {
            let captured = ReleaseToken()
            token = captured
            let action = { @Sendable (_: Void) -> any Disposable in
                withExtendedLifetime(captured) { Disposables.create() }
            }
            disposables.append(scheduler.schedule((), action: action))
            disposables.append(scheduler.scheduleRelative((), dueTime: .milliseconds(1), action: action))
            disposables.append(scheduler.scheduleRelative(1, dueTime: .seconds(1)) { _ in action(()) })
            disposables.append(scheduler.schedule(1) { _ in action(()) })
        }
        #expect(token == nil)
        #expect(rejections.value == 4)
        #expect(disposables.allSatisfy { ($0 as? any Cancelable)?.isDisposed == true })
    }

    @Test("Timers that are not due are dropped, released and reported", arguments: Backend.built)
    func pendingTimers(_ backend: Backend) {
        let rejections = RejectionCounter()
        defer { rejections.stop() }
        let scheduler = IOUringScheduler(backend: backend)
        weak var token: ReleaseToken?
        var disposables: [any Disposable] = []
        do {
            let captured = ReleaseToken()
            token = captured
            for number in 0..<1_000 {
                disposables.append(
                    scheduler.scheduleRelative((), dueTime: .seconds(100 + number)) { _ in
                        withExtendedLifetime(captured) { Disposables.create() }
                    })
            }
        }
        for disposable in disposables.prefix(100) { disposable.dispose() }
        scheduler.shutdown()
        #expect(token == nil)
        #expect(rejections.value == 900)
        // A dispose after the shutdown does no harm.
        for disposable in disposables { disposable.dispose() }
    }

    @Test("A shutdown on the loop returns at once and rejects later work", arguments: Backend.built)
    func onOwnLoop(_ backend: Backend) {
        let rejections = RejectionCounter()
        defer { rejections.stop() }
        let scheduler = IOUringScheduler(backend: backend)
        let log = EventLog()
        let begun = OneShot()
        let gate = OneShot()
        let done = OneShot()
        scheduler.run {
            begun.fire()
            _ = gate.wait()
            scheduler.run { log.note("before") }
            scheduler.shutdown()
            scheduler.shutdown()
            scheduler.run { log.note("after") }
            _ = scheduler.scheduleRelative((), dueTime: .nanoseconds(0)) { _ in
                log.note("timer")
                return Disposables.create()
            }
            log.note("end")
            done.fire()
        }
        #expect(begun.wait())
        gate.fire()
        #expect(done.wait())
        scheduler.shutdown()
        #expect(log.text == "end before")
        #expect(rejections.value == 2)
    }

    @Test("Each of several threads that shut a loop down waits for its end", arguments: Backend.built)
    func severalThreads(_ backend: Backend) {
        for _ in 0..<200 {
            let scheduler = IOUringScheduler(backend: backend)
            let ran = AtomicCounter(0)
            for _ in 0..<10 { scheduler.run { ran.increment() } }
            race((0..<4).map { _ in { scheduler.shutdown() } })
            #expect(ran.value == 10)
        }
    }

    /// The race: threads submit work while another thread shuts the loop down.
    @Test("Work that races with a shutdown either runs or is rejected", arguments: Backend.built)
    func submitRace(_ backend: Backend) {
        let rejections = RejectionCounter()
        defer { rejections.stop() }
        let ran = AtomicCounter(0)
        let perThread = 50
        let rounds = 200
        for round in 0..<rounds {
            let scheduler = IOUringScheduler(backend: backend)
            race(
                (0..<4).map { thread in
                    {
                        for number in 0..<perThread {
                            if (number + thread) % 8 == 0 {
                                _ = scheduler.scheduleRelative((), dueTime: .nanoseconds(0)) { _ in
                                    ran.increment()
                                    return Disposables.create()
                                }
                            } else {
                                scheduler.run { ran.increment() }
                            }
                            if number % 16 == 0 { jitter(round + thread) }
                        }
                    }
                } + [
                    {
                        for _ in 0..<(round % 7) { jitter(63) }
                        scheduler.shutdown()
                    }
                ])
        }
        #expect(ran.value + rejections.value == rounds * 4 * perThread)
    }

    /// The race: a thread finds the loop asleep, and is about to wake it. The loop wakes up by itself, takes the work and ends.
    /// The thread must not drain the queue in place of the loop.
    @Test("A late wake-up of a loop that has ended does nothing", arguments: Backend.built)
    func lateWakeUp(_ backend: Backend) {
        let rejections = RejectionCounter()
        defer { rejections.stop() }
        let ran = AtomicCounter(0)
        let rounds = 1_000
        for round in 0..<rounds {
            let scheduler = IOUringScheduler(backend: backend)
            _ = scheduler.scheduleRelative((), dueTime: .microseconds(20 + round % 40)) { _ in
                ran.increment()
                scheduler.shutdown()
                return Disposables.create()
            }
            race(
                (0..<3).map { thread in
                    {
                        for _ in 0..<(round % 5 + thread) { jitter(63) }
                        for _ in 0..<20 {
                            scheduler.run { ran.increment() }
                            jitter(round)
                        }
                    }
                })
            scheduler.shutdown()
        }
        #expect(ran.value + rejections.value == rounds * 61)
    }

    /// The system reuses the identity of a thread that has ended.
    @Test("A thread that reuses the loop thread's identity is not taken for it", arguments: Backend.built)
    func reusedIdentity(_ backend: Backend) async {
        let rejections = RejectionCounter()
        defer { rejections.stop() }
        let scheduler = IOUringScheduler(backend: backend)
        scheduler.shutdown()
        #expect(await eventually { threadCount() == 0 })
        let taken = AtomicCounter(0)
        for _ in 0..<8 {
            race(
                (0..<4).map { _ in
                    {
                        if scheduler.isCurrent { taken.increment() }
                        scheduler.run {}
                        _ = scheduler.scheduleRelative((), dueTime: .seconds(1)) { _ in Disposables.create() }
                        scheduler.shutdown()
                    }
                })
        }
        #expect(taken.value == 0)
        #expect(rejections.value == 64)
    }

    /// The handler runs on the loop thread, as the last of its work.
    @Test("The handler of rejected work may use the scheduler", arguments: Backend.built)
    func rejectionHandler(_ backend: Backend) {
        let before = Hooks.workRejectedHandler
        defer { Hooks.workRejectedHandler = before }
        let counted = AtomicCounter(0)
        let calls = AtomicCounter(0)
        let scheduler = IOUringScheduler(backend: backend)
        Hooks.workRejectedHandler = { _, count in
            for _ in 0..<count { counted.increment() }
            calls.increment()
            if calls.value < 3 { scheduler.run {} }
            scheduler.shutdown()
        }
        _ = scheduler.scheduleRelative((), dueTime: .seconds(1)) { _ in Disposables.create() }
        scheduler.shutdown()
        #expect(counted.value == 3)
    }

    @Test("Streams fail when their loop is shut down", arguments: Backend.built)
    func streams(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let log = EventLog()
        let begun = OneShot()
        nonisolated(unsafe) var error: IOError?
        let subscription = File.read("/dev/zero", chunkSize: 16, scheduler: scheduler).subscribe(
            onNext: { _ in begun.fire() },
            onError: {
                error = $0 as? IOError
                log.note("error")
            })
        #expect(begun.wait())
        scheduler.shutdown()
        #expect(log.text == "error")
        #expect(error?.code == ECANCELED)
        subscription.dispose()
        let late = EventLog()
        let again = late.observe(File.read("/dev/zero", scheduler: scheduler).map { _ in 0 })
        #expect(soon { late.lines.count == 1 && late.text.hasPrefix("error") })
        again.dispose()
    }

    /// The fault: each new subscription fails at once, inside the end of the one before, without end.
    @Test("A retry without a limit keeps no loop and no thread from ending", arguments: Backend.built)
    func endlessRetry(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let begun = OneShot()
            let failures = AtomicCounter(0)
            let bytes = File.read("/dev/zero", chunkSize: 16, scheduler: scheduler).map { _ in }
                .do(onNext: begun.fire, onError: { _ in failures.increment() })
            // The retry that the documentation of `IOError.code` recommends.
            let limited = Received(
                bytes.retry { (errors: Observable<IOError>) in
                    errors.flatMap { $0.code == ECANCELED ? Observable.error($0) : .just($0) }
                })
            let (hasEnded, hasSubscribed) = (OneShot(), OneShot())
            let subscription = bytes.retry().subscribe()
            #expect(begun.wait())
            let late = SingleAssignmentDisposable()
            Thread.detachNewThread {
                scheduler.shutdown()
                hasEnded.fire()
                late.setDisposable(bytes.retry().subscribe())
                hasSubscribed.fire()
            }
            #expect(hasEnded.wait(seconds: 20))
            #expect(hasSubscribed.wait(seconds: 20))
            #expect(soon { failures.value > 100 })
            #expect(soon { limited.error?.code == ECANCELED })
            subscription.dispose()
            late.dispose()
        }
    }

    enum Flood: CaseIterable { case actions, timers, sources, elements, jobs }

    /// The fault: the loop rejects the work of the threads that submit it, and they submit faster.
    @Test(
        "A shutdown ends while other threads go on submitting, and a rejected hop leaves its source",
        arguments: Backend.built, Flood.allCases)
    func flood(_ backend: Backend, _ flood: Flood) {
        let rejections = RejectionCounter()
        defer { rejections.stop() }
        onLoop(backend) { scheduler in
            let (isOver, hasLeft) = (AtomicCounter(0), AtomicCounter(0))
            let flooded = DispatchGroup()
            for _ in 0..<2 {
                flooded.enter()
                Thread.detachNewThread {
                    let subject = PublishSubject<Int>()
                    let job = scheduler.makeJob {}
                    let subscription = subject.do(onDispose: { hasLeft.increment() }).observe(on: scheduler).subscribe()
                    while isOver.value == 0 {
                        switch flood {
                        case .actions: scheduler.run {}
                        case .timers:
                            scheduler.scheduleRelative((), dueTime: .seconds(1)) { _ in Disposables.create() }.dispose()
                        case .sources:
                            // Without a handler each of a million errors would be printed.
                            _ = File.open("/dev/null", mode: .append, scheduler: scheduler)
                                .subscribe(onFailure: { _ in })
                        case .elements: subject.onNext(1)
                        case .jobs: job.post()
                        }
                    }
                    subject.onNext(2)
                    subject.onNext(3)
                    subscription.dispose()
                    flooded.leave()
                }
            }
            usleep(5_000)
            let hasEnded = OneShot()
            Thread.detachNewThread {
                scheduler.shutdown()
                hasEnded.fire()
            }
            // On a busy machine the threads wait for each other at the lock of the census that TRACE_RESOURCES keeps.
            #expect(hasEnded.wait(seconds: 60))
            isOver.increment()
            flooded.wait()
            // The thread that tells of the end may be leaving the source.
            #expect(soon { hasLeft.value == 2 })
        }
    }

    /// The fault: rejections were handed out when all work was rejected.
    @Test("A rejected action whose release waits for another rejection gets it", arguments: Backend.built)
    func waitingRelease(_ backend: Backend) {
        let rejections = RejectionCounter()
        defer { rejections.stop() }
        let scheduler = IOUringScheduler(backend: backend)
        let (isEnding, mayGoOn, isRejected) = (OneShot(), OneShot(), OneShot())
        scheduler.run {
            scheduler.shutdown()
            isEnding.fire()
            _ = mayGoOn.wait(seconds: 10)
        }
        #expect(isEnding.wait(seconds: 10))
        // What is submitted from here on is rejected.
        _ = File.open("/dev/null", mode: .append, scheduler: scheduler)
            .subscribe(onFailure: { _ in isRejected.fire() })
        let wasInTime = AtomicCounter(0)
        do {
            let token = ReleaseToken(onRelease: { if isRejected.wait(seconds: 5) { wasInTime.increment() } })
            scheduler.run { withExtendedLifetime(token) {} }
        }
        mayGoOn.fire()
        scheduler.shutdown()
        #expect(wasInTime.value == 1)
    }

    @Test("A shutdown drops a million timers", arguments: Backend.built)
    func millionTimers(_ backend: Backend) {
        let rejections = RejectionCounter()
        defer { rejections.stop() }
        let count = stepCount(1_000_000, debug: 100_000)
        let scheduler = IOUringScheduler(backend: backend)
        for number in 0..<count {
            _ = scheduler.scheduleRelative((), dueTime: .microseconds(100_000_000 + number)) { _ in Disposables.create()
            }
        }
        scheduler.shutdown()
        #expect(rejections.value == count)
    }
}

extension IOUringScheduler {
    /// Submits an action that returns nothing to dispose of.
    func run(_ body: @escaping @Sendable () -> Void) {
        _ = schedule(()) { _ in
            body()
            return Disposables.create()
        }
    }
}
