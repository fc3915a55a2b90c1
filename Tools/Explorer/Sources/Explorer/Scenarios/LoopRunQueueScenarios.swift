// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// An event loop's thread, reduced to its queue: runs jobs, goes to rest, waits, and is at work again.
private final class Loop: LoopThread {
    let name = "explorer"
    let queue = LoopRunQueue(batchLimit: 512)
    private let turn = TurnBudget(steps: 512, nanoseconds: 200_000)
    let parker = Parker()
    var order: [Int] = []

    func wake() { parker.unpark() }

    func reportRejected(_ count: Int) {}

    func run(until count: Int) {
        while order.count < count {
            turn.begin()
            let isLeft = queue.runJobs(in: turn).isLeft
            var budget = 1
            while let job = queue.popExpress() { _ = job.run(&budget) }
            if isLeft || queue.hasWaitingJobs { continue }
            if order.count >= count { return }
            if queue.tryGoIdle() {
                parker.park(until: .max)
                queue.resume()
            }
        }
    }

    /// Runs what is left when the threads have ended.
    func finish() {
        queue.resume()
        turn.begin()
        _ = queue.runJobs(in: turn)
    }

    func note(_ number: Int) -> Job {
        let element = Element(number)
        return ScenarioJob { [unowned self] in order.append(element.number) }
    }

    func hop() -> ObserveOnSink<Element> {
        ObserveOnSink(
            downstream: ScenarioSink { [unowned self] in order.append($0.number) }, scheduler: JobQueueScheduler(queue))
    }
}

/// A loop without a thread, as in a forked process: a thread that finds the queue idle rejects what it has submitted.
private final class ClosedLoop: LoopThread {
    let name = "explorer"
    let queue = LoopRunQueue(batchLimit: 512)
    private let lost = AtomicWord(0)
    private let woken = AtomicWord(0)

    init() {
        queue.bind(to: self)
        queue.wasForked()
    }

    var rejected: Int { Int(lost.loadRelaxed()) }
    var wakeUps: Int { Int(woken.loadRelaxed()) }

    func wake() {
        _ = woken.fetchAdd(1)
        _ = lost.fetchAdd(UInt(queue.rejectPending()))
    }

    func reportRejected(_ count: Int) { _ = lost.fetchAdd(UInt(count)) }

    func job() -> Job { ScenarioJob {} }
}

/// A loop whose thread ends while others submit: a thread that finds the queue idle rejects what it has submitted.
private final class EndingLoop: LoopThread {
    let name = "explorer"
    let queue = LoopRunQueue(batchLimit: 512)
    private let lost = AtomicWord(0)

    var rejected: Int { Int(lost.loadRelaxed()) }

    func end() {
        queue.bind(to: self)
        queue.close()
        queue.unbind()
        _ = lost.fetchAdd(UInt(queue.rejectAll()))
    }

    func wake() { _ = lost.fetchAdd(UInt(queue.rejectPending())) }

    func reportRejected(_ count: Int) { _ = lost.fetchAdd(UInt(count)) }

    func hop() -> ObserveOnSink<Element> {
        ObserveOnSink(
            downstream: ScenarioSink { require(false, "a closed loop delivers \($0.number)") },
            scheduler: JobQueueScheduler(queue))
    }
}

private final class JobQueueScheduler: JobScheduler {
    let queue: LoopRunQueue

    init(_ queue: LoopRunQueue) { self.queue = queue }

    func submit(_ job: Job) { queue.submit(job) }

    func unschedule(_ job: Job) {}

    var runQueue: RunQueue? { queue }

    var batchLimit: Int { 512 }

    var hasWaitingJobs: Bool { queue.hasWaitingJobs }
}

extension Scenario {
    static let loopTurns: [Scenario] = [
        Scenario(
            "run-queue.loop-sleeps",
            "a loop that goes to sleep while two threads submit is woken, and runs each job once"
        ) {
            let loop = Loop()
            return Run(
                {
                    loop.queue.bind(to: loop)
                    loop.run(until: 3)
                },
                {
                    loop.queue.submitRemote(loop.note(1))
                    loop.queue.submitRemote(loop.note(2))
                },
                { loop.queue.submitRemote(loop.note(11)) }
            ) {
                require(loop.order.sorted() == [1, 2, 11] && isInOrder([1, 2], in: loop.order), "\(loop.order)")
            }
        },
        Scenario(
            "run-queue.express",
            "a loop that goes to sleep while threads submit to both lanes is woken, and runs each job once, in its lane's order"
        ) {
            let loop = Loop()
            return Run(
                {
                    loop.queue.bind(to: loop)
                    loop.run(until: 4)
                },
                {
                    loop.queue.submitExpress(loop.note(1))
                    loop.queue.submitExpress(loop.note(2))
                    loop.queue.submitRemote(loop.note(21))
                },
                { loop.queue.submitExpress(loop.note(11)) }
            ) {
                require(loop.order.sorted() == [1, 2, 11, 21] && isInOrder([1, 2], in: loop.order), "\(loop.order)")
            }
        },
        Scenario(
            "run-queue.express-closed",
            "a closed loop and the threads that submit to it reject each job once, on both lanes"
        ) {
            let loop = ClosedLoop()
            return Run(
                { loop.queue.submitExpress(loop.job()) },
                { loop.queue.submitExpress(loop.job()) },
                { loop.queue.submitRemote(loop.job()) }
            ) {
                require(loop.rejected == 3 && loop.wakeUps >= 1, "\(loop.rejected) of 3 rejected")
            }
        },
        Scenario(
            "run-queue.loop-ends",
            "a loop that ends and the threads that submit to it reject each job once, and a rejected hop takes no more"
        ) {
            let loop = EndingLoop()
            let hop = loop.hop()
            return Run(
                { loop.end() },
                {
                    for number in 1...3 { hop.next(Element(number)) }
                },
                { loop.queue.submitIndependent(ScenarioJob {}) }
            ) {
                require((2...3).contains(loop.rejected), "\(loop.rejected) rejected")
                let before = loop.rejected
                hop.next(Element(4))
                require(loop.rejected == before, "a rejected hop submits anew")
            }
        },
        Scenario(
            "run-queue.loop-woken-for-nothing",
            "a loop that is woken for other reasons is at work again, and loses nothing"
        ) {
            let loop = Loop()
            return Run(
                {
                    loop.queue.bind(to: loop)
                    loop.run(until: 2)
                },
                {
                    loop.queue.submitRemote(loop.note(1))
                    loop.queue.submitRemote(loop.note(2))
                },
                { loop.wake() }
            ) {
                require(loop.order == [1, 2], "\(loop.order)")
            }
        },
        Scenario(
            "run-queue.loop-order",
            "a job of the loop's own runs behind what another thread had submitted when it knew of it"
        ) {
            let loop = Loop()
            let flag = AtomicWord(0)
            var knew = false
            return Run(
                {
                    loop.queue.bind(to: loop)
                    loop.queue.submit(loop.note(1))
                    // Acquiring: with the flag the loop sees the submission.
                    knew = flag.loadAcquiring() != 0
                    loop.queue.submit(loop.note(2))
                    loop.run(until: 3)
                },
                {
                    loop.queue.submitRemote(loop.note(11))
                    flag.storeReleasing(1)
                }
            ) {
                require(isInOrder([1, 2], in: loop.order) && loop.order.contains(11), "\(loop.order)")
                require(!knew || isInOrder([11, 2], in: loop.order), "overtaken: \(loop.order)")
            }
        },
        Scenario(
            "run-queue.loop-note",
            "a hop does not extend a batch in front of the loop's own work that its thread knows of, whoever submits meanwhile"
        ) {
            let loop = Loop()
            let hop = loop.hop()
            hop.next(Element(1))
            let flag = AtomicWord(0)
            var knew = false
            return Run(
                {
                    loop.queue.bind(to: loop)
                    loop.queue.submit(loop.note(2))
                    flag.storeReleasing(1)
                    loop.queue.submit(loop.note(4))
                    loop.run(until: 5)
                },
                {
                    knew = flag.loadAcquiring() != 0
                    hop.next(Element(3))
                },
                { loop.queue.submitRemote(loop.note(11)) }
            ) {
                require(loop.order.sorted() == [1, 2, 3, 4, 11], "\(loop.order)")
                require(
                    isInOrder([1, 3], in: loop.order) && isInOrder([2, 4], in: loop.order),
                    "out of order: \(loop.order)")
                require(
                    !knew || isInOrder([2, 3], in: loop.order), "in front of what its thread knew of: \(loop.order)")
            }
        },
        Scenario(
            "run-queue.loop-moves",
            "a hop that the loop used before another thread does not extend its batch in front of that thread's own work"
        ) {
            let loop = Loop()
            let hop = loop.hop()
            let flag = AtomicWord(0)
            var knew = false
            return Run(
                {
                    loop.queue.bind(to: loop)
                    hop.next(Element(1))
                    flag.storeReleasing(1)
                    loop.queue.submit(loop.note(2))
                    loop.run(until: 3)
                },
                {
                    // The hop is used by one thread after the other.
                    knew = flag.loadAcquiring() != 0
                    loop.queue.submitRemote(loop.note(11))
                    if knew { hop.next(Element(12)) }
                }
            ) {
                if knew && loop.order.count < 4 { loop.finish() }
                require(loop.order.sorted() == (knew ? [1, 2, 11, 12] : [1, 2, 11]), "\(loop.order)")
                require(isInOrder([1, 2], in: loop.order), "out of order: \(loop.order)")
                require(
                    !knew || isInOrder([11, 12], in: loop.order), "in front of its thread's own work: \(loop.order)")
            }
        },
        Scenario(
            "run-queue.loop-hop",
            "what a loop and another thread submit keeps each thread's order, also where a hop extends a batch"
        ) {
            let loop = Loop()
            let own = loop.hop()
            let remote = loop.hop()
            return Run(
                {
                    loop.queue.bind(to: loop)
                    own.next(Element(1))
                    loop.queue.submit(loop.note(2))
                    own.next(Element(3))
                    loop.run(until: 6)
                },
                {
                    remote.next(Element(11))
                    loop.queue.submitRemote(loop.note(12))
                    remote.next(Element(13))
                }
            ) {
                require(loop.order.sorted() == [1, 2, 3, 11, 12, 13], "\(loop.order)")
                require(isInOrder([1, 2, 3], in: loop.order), "the loop's are out of order: \(loop.order)")
                require(isInOrder([11, 12, 13], in: loop.order), "the other thread's are out of order: \(loop.order)")
            }
        },
    ]
}
