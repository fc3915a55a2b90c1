// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// The end of a host's loop. One test at a time, as there is one handler of rejected work.
@Suite(.serialized) struct HostEndTests {
    /// The processor time of the longest call of one thread, which alone accesses it.
    private final class Longest: @unchecked Sendable {
        var value: UInt64 = 0
    }

    /// Objects that work holds.
    private final class Tokens: @unchecked Sendable {
        let living = AtomicCounter(0)

        func make() -> ReleaseToken {
            living.increment()
            return ReleaseToken { [living] in living.decrement() }
        }
    }

    /// - Parameter isArmed: whether the loop has a delayed body for the timers, or has yet to look at them.
    @Test("All work that waits at the loop's end is released, disposed of and reported", arguments: [false, true])
    func waitingWork(isArmed: Bool) {
        let rejections = RejectionCounter()
        defer { rejections.stop() }
        let loop = ManualHostLoop()
        let scheduler = HostEventLoopScheduler(loop)
        let tokens = Tokens()
        var disposables: [any Disposable] = (0..<10).map { number in
            scheduler.scheduleRelative(tokens.make(), dueTime: .seconds(3_600 + number)) { _ in Disposables.create() }
        }
        disposables.append(
            scheduler.schedulePeriodic(tokens.make(), startAfter: .seconds(10), period: .seconds(1)) { $0 })
        if isArmed { loop.runAll() }
        #expect(loop.delays.count == (isArmed ? 1 : 0))
        for _ in 0..<10 { disposables.append(scheduler.schedule(tokens.make()) { _ in Disposables.create() }) }
        let subject = PublishSubject<ReleaseToken>()
        let subscription = subject.observe(on: scheduler).subscribe(onNext: { _ in Issue.record("came") })
        for _ in 0..<1_000 { subject.onNext(tokens.make()) }
        #expect(tokens.living.value == 1_021)
        loop.end()
        #expect(tokens.living.value == 0)
        #expect(disposables.allSatisfy { ($0 as? any Cancelable)?.isDisposed == true })
        #expect(rejections.value == 22)
        subscription.dispose()
    }

    @Test("Work that is submitted after the end is released, disposed of and reported by the thread that submits it")
    func laterWork() async {
        let rejections = RejectionCounter()
        defer { rejections.stop() }
        let loop = ManualHostLoop()
        let scheduler = HostEventLoopScheduler(loop)
        let tokens = Tokens()
        loop.end()
        let subject = PublishSubject<ReleaseToken>()
        let subscription = subject.observe(on: scheduler).subscribe(onNext: { _ in Issue.record("came") })
        for round in 1...3 {
            let disposables = [
                scheduler.schedule(tokens.make()) { _ in Disposables.create() },
                scheduler.scheduleRelative(tokens.make(), dueTime: .seconds(1)) { _ in Disposables.create() },
                scheduler.schedulePeriodic(tokens.make(), startAfter: .seconds(1), period: .seconds(1)) { $0 },
            ]
            for _ in 0..<1_000 { subject.onNext(tokens.make()) }
            // A hop that was rejected has left its source, and keeps an element until it is disposed of.
            #expect(tokens.living.value <= 1)
            #expect(disposables.allSatisfy { ($0 as? any Cancelable)?.isDisposed == true })
            // A hop counts once.
            #expect(rejections.value == 3 * round + 1)
        }
        subscription.dispose()
        // A thread of the runtime tells the hop's failure, and lets go of the element behind that.
        #expect(await eventually { tokens.living.value == 0 })
    }

    @Test("An action that ends the loop is followed by those of its batch; the others are rejected") func endInside() {
        let rejections = RejectionCounter()
        defer { rejections.stop() }
        let loop = ManualHostLoop()
        let scheduler = HostEventLoopScheduler(loop)
        let ran = AtomicCounter(0)
        for number in 0..<2_000 {
            _ = scheduler.schedule(number) { number in
                if number == 0 { loop.end() }
                ran.increment()
                return Disposables.create()
            }
        }
        loop.runAll()
        #expect(ran.value > 0 && ran.value <= 512)
        #expect(ran.value + rejections.value == 2_000)
    }

    @Test("Work whose release submits more is released as well") func submittingRelease() {
        let rejections = RejectionCounter()
        defer { rejections.stop() }
        let loop = ManualHostLoop()
        let scheduler = HostEventLoopScheduler(loop)
        let tokens = Tokens()
        for _ in 0..<100 {
            let token = ReleaseToken { _ = scheduler.schedule(tokens.make()) { _ in Disposables.create() } }
            _ = scheduler.schedule(token) { _ in Disposables.create() }
        }
        loop.end()
        #expect(tokens.living.value == 0)
        #expect(rejections.value == 200)
    }

    /// The race: the loop ends while threads submit actions, timers and events, and while it runs some of them.
    @Test("Work that meets the loop's end runs or is released") func endRace() {
        let rejections = RejectionCounter()
        defer { rejections.stop() }
        for round in 0..<200 {
            let loop = ThreadHostLoop()
            let tokens = Tokens()
            do {
                let scheduler = HostEventLoopScheduler(loop)
                let subject = PublishSubject<ReleaseToken>()
                let subscription = subject.observe(on: scheduler).subscribe()
                race(
                    { for _ in 0..<200 { subject.onNext(tokens.make()) } },
                    {
                        for number in 0..<50 {
                            _ = scheduler.schedule(tokens.make()) { _ in Disposables.create() }
                            _ = scheduler.scheduleRelative(tokens.make(), dueTime: .microseconds(number * 20)) { _ in
                                Disposables.create()
                            }
                        }
                    },
                    {
                        jitter(round)
                        usleep(UInt32(round % 10) * 20)
                        loop.end()
                    })
                // A hop that was rejected keeps an element until then.
                subscription.dispose()
                guard settles({ tokens.living.value == 0 }) else {
                    Issue.record("\(tokens.living.value) left in round \(round)")
                    return
                }
            }
        }
    }

    /// The race: threads submit to the queue of an ended scheduler, as hops do, without a pause, and faster than one can reject it. None
    /// must be kept rejecting the work of the others.
    @Test("A thread that submits to an ended scheduler is not kept by others that go on submitting")
    func floodAfterEnd() throws {
        let loop = ManualHostLoop()
        let scheduler = HostEventLoopScheduler(loop)
        let queue = try #require(scheduler.timedJobs.runQueue)
        loop.end()
        let longest = (0..<3).map { _ in Longest() }
        let submit: @Sendable (Int) -> Void = { thread in
            let start = threadNanoseconds()
            queue.submit(
                WorkJob { _, _ in
                    SpinWait.spin(nanoseconds: 50_000)
                    return false
                })
            longest[thread].value = max(longest[thread].value, threadNanoseconds() - start)
        }
        let end = MonotonicClock.now() + 500_000_000
        race(
            longest.indices.map { thread in
                {
                    while MonotonicClock.now() < end {
                        submit(thread)
                        SpinWait.spin(nanoseconds: 3_000)
                    }
                }
            })
        #expect(longest.allSatisfy { $0.value < 300_000_000 })
    }
}

/// Returns the processor time of the calling thread.
private func threadNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
