import RxPrimitives
import RxSwift

/// An event loop's thread, reduced to its queue: runs jobs, goes to rest, waits, and is at work again.
private final class Loop: LoopThread {
    let queue = LoopRunQueue(batchLimit: 512)
    let parker = Parker()
    var order: [Int] = []

    func wake() { parker.unpark() }

    func run(until count: Int) {
        while order.count < count {
            var budget = 512
            if queue.runJobs(within: &budget) || queue.hasWaitingJobs { continue }
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
        var budget = 512
        _ = queue.runJobs(within: &budget)
    }

    func note(_ number: Int) -> Job {
        let element = Element(number)
        return ScenarioJob { [unowned self] in order.append(element.number) }
    }

    func hop() -> ObserveOnSink<Element> {
        ObserveOnSink(
            downstream: ScenarioSink { [unowned self] in order.append($0.number) }, scheduler: LoopScheduler(self))
    }
}

private final class LoopScheduler: JobScheduler {
    let loop: Loop

    init(_ loop: Loop) { self.loop = loop }

    func submit(_ job: Job) { loop.queue.submit(job) }

    func unschedule(_ job: Job) {}

    var runQueue: RunQueue? { loop.queue }

    var batchLimit: Int { 512 }

    var hasWaitingJobs: Bool { loop.queue.hasWaitingJobs }
}

extension Scenario {
    static let turns: [Scenario] = [
        Scenario(
            "run-queue.two-submitters", "jobs of two threads run once, in each thread's order, and no wake-up is lost"
        ) {
            let turns = Turns()
            return Run(
                {
                    turns.submit(1)
                    turns.submit(2)
                },
                { turns.submit(11) },
                { turns.work(until: 3) }
            ) {
                require(turns.order.sorted() == [1, 2, 11] && isInOrder([1, 2], in: turns.order), "\(turns.order)")
            }
        },
        Scenario("run-queue.small-batches", "with one step a turn nothing is lost either") {
            let turns = Turns(batchLimit: 1)
            return Run(
                {
                    turns.submit(1)
                    turns.submit(2)
                },
                { turns.submit(11) },
                { turns.work(until: 3) }
            ) {
                require(turns.order.sorted() == [1, 2, 11] && isInOrder([1, 2], in: turns.order), "\(turns.order)")
            }
        },
        Scenario("run-queue.from-within", "a job submitted by a job runs behind what was submitted before it, and once")
        {
            let turns = Turns()
            return Run(
                {
                    turns.queue.submit(
                        turns.note(1) {
                            turns.queue.submitLocal(turns.note(2))
                            turns.queue.submitLocal(turns.note(3))
                        })
                },
                {
                    turns.submit(11)
                    turns.submit(12)
                },
                { turns.work(until: 5) }
            ) {
                require(
                    turns.order.sorted() == [1, 2, 3, 11, 12] && isInOrder([1, 2, 3], in: turns.order)
                        && isInOrder([11, 12], in: turns.order), "\(turns.order)")
            }
        },
        Scenario(
            "run-queue.hop",
            "events and actions of one thread run in the order of submission, whatever another thread submits",
            preemptions: 2
        ) {
            let turns = Turns()
            let hop = turns.hop()
            return Run(
                {
                    hop.next(Element(1))
                    turns.submit(2)
                    hop.next(Element(3))
                    hop.next(Element(4))
                },
                { turns.submit(11) },
                { turns.work(until: 5) }
            ) {
                turns.finish()
                require(turns.order.sorted() == [1, 2, 3, 4, 11], "\(turns.order)")
                require(isInOrder([1, 2, 3, 4], in: turns.order), "out of order: \(turns.order)")
            }
        },
        Scenario(
            "run-queue.two-hops", "events of two threads and hops on one scheduler keep each thread's order",
            preemptions: 2
        ) {
            let turns = Turns(batchLimit: 2)
            let hops = (
                turns.hop(),
                turns.hop()
            )
            return Run(
                {
                    hops.0.next(Element(1))
                    hops.0.next(Element(2))
                    hops.0.next(Element(3))
                },
                {
                    hops.1.next(Element(11))
                    hops.1.next(Element(12))
                },
                { turns.work(until: 5) }
            ) {
                turns.finish()
                require(
                    turns.order.sorted() == [1, 2, 3, 11, 12] && isInOrder([1, 2, 3], in: turns.order)
                        && isInOrder([11, 12], in: turns.order), "\(turns.order)")
            }
        },
        Scenario(
            "run-queue.hop-end",
            "a terminal event comes behind the elements, and a cancelled hop lets nothing more through"
        ) {
            let turns = Turns()
            let hop = turns.hop()
            return Run(
                {
                    hop.next(Element(1))
                    hop.next(Element(2))
                    hop.completed()
                },
                { turns.work(until: 3) }
            ) {
                turns.finish()
                require(turns.order == [1, 2, -1], "\(turns.order)")
            }
        },
        Scenario(
            "run-queue.hop-cancel",
            "a hop that is cancelled while it carries events keeps nothing, and its queue goes on"
        ) {
            let turns = Turns()
            let hop = turns.hop()
            return Run(
                {
                    hop.next(Element(1))
                    hop.next(Element(2))
                },
                {
                    hop.cancel()
                    turns.submit(11)
                },
                { while turns.order.last != 11 { turns.work(until: turns.order.count + 1) } }
            ) {
                turns.finish()
                require(isInOrder(turns.order, in: [1, 2, 11]) || turns.order == [1, 11, 2], "\(turns.order)")
            }
        },
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
