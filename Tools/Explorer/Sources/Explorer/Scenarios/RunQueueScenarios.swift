// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

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
    ]
}
