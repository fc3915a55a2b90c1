// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// The queue of an event loop that runs on the thread of the test.
@Suite struct LoopRunQueueTests {
    private final class Thread: LoopThread {
        var wakeUps = 0

        var rejections = 0

        let name = "loop"

        func wake() { wakeUps += 1 }

        func reportRejected(_ count: Int) { rejections += count }
    }

    private let thread = Thread()
    private let queue = LoopRunQueue(batchLimit: 512)
    private let log = EventLog()

    init() { queue.bind(to: thread) }

    private func submit(_ line: String) {
        let log = log
        queue.submit(
            WorkJob { _, isRejected in
                if !isRejected { log.note(line) }
                return true
            })
    }

    private func submitElsewhere(_ lines: String...) {
        nonisolated(unsafe) let this = self
        race({ for line in lines { this.submit(line) } })
    }

    private func run(_ steps: Int = 512) -> Bool {
        let turn = TurnBudget(steps: steps, nanoseconds: 1_000_000_000)
        turn.begin()
        return queue.runJobs(in: turn).isLeft
    }

    @Test("Only a submission to a loop at rest wakes it") func wakesRestingLoop() {
        submitElsewhere("a", "b")
        #expect(thread.wakeUps == 0 && queue.hasPending)
        #expect(!queue.tryGoIdle())
        #expect(!run())
        #expect(queue.tryGoIdle())
        submitElsewhere("c", "d")
        #expect(thread.wakeUps == 1)
        queue.resume()
        submitElsewhere("e")
        #expect(thread.wakeUps == 1)
        #expect(!run())
        #expect(log.text == "a b c d e")
        // A wake-up without work, a timer's or the kernel's.
        #expect(queue.tryGoIdle())
        queue.resume()
        submitElsewhere("f")
        #expect(thread.wakeUps == 1 && queue.hasPending)
    }

    @Test("Work of the loop thread follows the work submitted before it") func submissionOrder() {
        submit("own 1")
        submitElsewhere("a")
        submit("own 2")
        submitElsewhere("b", "c")
        submit("own 3")
        #expect(!run())
        #expect(log.text == "own 1 a own 2 b c own 3")
        #expect(thread.wakeUps == 0)
    }

    @Test("The budget ends a turn and keeps the remaining work") func budget() {
        for number in 0..<5 { submit("\(number)") }
        #expect(run(2))
        #expect(log.text == "0 1")
        submitElsewhere("5")
        #expect(run(3))
        #expect(!run(3))
        #expect(log.text == "0 1 2 3 4 5")
    }

    @Test("A loop counts the work that it rejects and does not run it") func rejectedWork() {
        submit("a")
        submitElsewhere("b")
        #expect(queue.rejectAll() == 2)
        #expect(log.text == "")
    }

    @Test("The thread of an unbound loop is like any other thread") func unbound() {
        #expect(queue.isOnLoop && queue.nameIfHeldByCaller(mainQueueRuns: false) != nil)
        queue.unbind()
        #expect(!queue.isOnLoop && queue.nameIfHeldByCaller(mainQueueRuns: false) == nil)
        submit("a")
        #expect(queue.hasPending && thread.wakeUps == 0)
        #expect(!run() && queue.tryGoIdle())
        submit("b")
        #expect(thread.wakeUps == 1)
    }

    @Test("The queue releases its remaining work at its own release") func releasedWork() {
        let released = AtomicCounter(0)
        do {
            let queue = LoopRunQueue(batchLimit: 1)
            queue.bind(to: thread)
            for isElsewhere in [false, true] {
                let token = ReleaseToken { released.increment() }
                let job = WorkJob { _, _ in withExtendedLifetime(token) { true } }
                if isElsewhere { queue.submitRemote(job) } else { queue.submit(job) }
            }
            #expect(released.value == 0)
        }
        #expect(released.value == 2)
    }

    private func submitExpress(_ line: String) {
        let log = log
        queue.submitExpress(
            WorkJob { _, isRejected in
                log.note(isRejected ? "\(line) rejected" : line)
                return true
            })
    }

    private func runExpress() {
        var budget = 1
        while let job = queue.popExpress() { _ = job.run(&budget) }
    }

    @Test("The express lane keeps its order, and does not wait for other work") func expressLane() {
        submit("a")
        submitExpress("x")
        nonisolated(unsafe) let this = self
        race({ this.submitExpress("y") })
        #expect(!queue.isExpressIdle && thread.wakeUps == 0)
        runExpress()
        #expect(queue.isExpressIdle && !run() && log.text == "x y a")
    }

    @Test("A submission to the express lane wakes a loop at rest, once") func expressWakes() {
        #expect(queue.tryGoIdle())
        submitExpress("x")
        submitExpress("y")
        #expect(thread.wakeUps == 1)
        queue.resume()
        // The loop does not rest while the lane has jobs.
        #expect(!queue.tryGoIdle())
        runExpress()
        #expect(queue.tryGoIdle() && log.text == "x y")
    }

    @Test("A loop rejects the express lane with its other work") func rejectedExpressLane() {
        submit("a")
        submitExpress("x")
        #expect(queue.rejectAll() == 2 && log.text == "x rejected")
    }

    @Test("A forked process forgets the express lane, and rejects what it submits itself") func forkedExpressLane() {
        submitExpress("parent")
        queue.wasForked()
        submitExpress("child")
        #expect(thread.wakeUps == 1)
        #expect(queue.rejectPending() == 1 && log.text == "child rejected")
        submitExpress("again")
        #expect(thread.wakeUps == 2)
    }
}
