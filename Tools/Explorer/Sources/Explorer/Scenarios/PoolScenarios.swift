// SPDX-License-Identifier: Apache-2.0

import CExplorer
import RxPrimitives
import RxSwift

extension Scenario {
    static let pools: [Scenario] = [
        Scenario(
            "action-pool.one-owner", "an action out of use goes to one of those who ask, and to none before it is back"
        ) {
            let actionPool = ScenarioActionPool()
            let runs = Count()
            let handed = HandedOver(2)
            func take() -> Unmanaged<Job> {
                let cell = Cell(1)
                return actionPool.take {
                    runs.add(cell.value)
                }
            }
            return Run(
                { for _ in 0..<2 { handed.give(take(), by: 0) } },
                { for _ in 0..<2 { handed.give(take(), by: 1) } },
                {
                    for _ in 0..<3 {
                        for index in 0..<2 { while let job = handed.take(from: index) { actionPool.run(job) } }
                    }
                }
            ) {
                for index in 0..<2 { while let job = handed.take(from: index) { actionPool.run(job) } }
                require(runs.value == 4, "\(runs.value) actions have run")
            }
        },
        Scenario("injector.two-takers", "each job is taken once, in the order of one thread's submissions") {
            let injector = ScenarioInjector()
            func job(_ number: Int, _ ran: Count) -> Job {
                let element = Element(number)
                return ScenarioJob { ran.add(element.number) }
            }
            let sum = Count()
            return Run(
                {
                    _ = injector.push(job(1, sum))
                    _ = injector.push(job(10, sum))
                    _ = injector.push(job(100, sum))
                },
                { _ = injector.runNext() }, { _ = injector.runNext() }
            ) {
                require([0, 1, 11].contains(sum.value), "a newer job is taken before an older one: \(sum.value)")
                while injector.runNext() {}
                require(sum.value == 111, "sum \(sum.value)")
            }
        },
        Scenario(
            "injector.close", "what is accepted is run, what is not is returned, while the injector is closed",
            preemptions: 2
        ) {
            let injector = ScenarioInjector()
            let accepted = Count()
            let ran = Count()
            func offer() {
                let element = Element(1)
                if injector.push(ScenarioJob { ran.add(element.number) }) { accepted.add() }
            }
            return Run({ offer() }, { injector.close() }, { _ = injector.runNext() }) {
                while injector.runNext() {}
                require(!injector.push(ScenarioJob {}), "a closed injector accepts a job")
                require(accepted.value == ran.value, "\(accepted.value) accepted, \(ran.value) run")
            }
        },
        pool("pool.two-submitters", limit: 1, threads: [1, 1]),
        pool("pool.two-workers", limit: 2, threads: [2]),
        Scenario(
            "pool.job-submits-job", "a job that a job submits runs, though the pool is shut down behind it",
            preemptions: 2
        ) {
            let pool = ScenarioPool(limit: 2)
            let ran = Count()
            return Run(
                {
                    pool.submit(
                        ScenarioJob {
                            ran.add()
                            pool.submit(ScenarioJob { ran.add() })
                        })
                    while ran.value < 2 { rx_model_yield() }
                    pool.shutdown()
                }, { pool.waitForEnd() }
            ) {
                require(ran.value == 2, "\(ran.value) have run")
            }
        },
    ]
}

extension Scenario {
    /// Threads that submit to a pool, whose workers are threads of the scenario.
    private static func pool(_ name: String, limit: Int, threads counts: [Int]) -> Scenario {
        Scenario(name, "each job runs once, the workers end, and no wake-up is lost", preemptions: 2) {
            let pool = ScenarioPool(limit: limit)
            let ran = Count()
            let left = Count()
            left.add(counts.count)
            return Run(
                threads: counts.map { count in
                    {
                        for _ in 0..<count {
                            let element = Element(1)
                            pool.submit(ScenarioJob { ran.add(element.number) })
                        }
                        left.add(-1)
                        if left.value == 0 { pool.shutdown() }
                    }
                }
            ) {
                require(ran.value == counts.reduce(0, +), "\(ran.value) have run")
            }
        }
    }
}

/// Queues from several threads to one.
private final class HandedOver {
    private final class Queue {
        let queue = SPSCQueue<Unmanaged<Job>>()
    }

    private let queues: [Queue]

    init(_ count: Int) { queues = (0..<count).map { _ in Queue() } }

    func give(_ job: Unmanaged<Job>, by index: Int) { queues[index].queue.push(job) }

    func take(from index: Int) -> Unmanaged<Job>? { queues[index].queue.pop() }
}
