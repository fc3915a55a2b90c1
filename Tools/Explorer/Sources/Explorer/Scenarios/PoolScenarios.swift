import RxPrimitives
import RxSwift

extension Scenario {
    static let pools: [Scenario] = [
        Scenario("spares.one-owner", "an action out of use goes to one of those who ask, and to none before it is back")
        {
            let spares = ScenarioSpares()
            let runs = Count()
            let handed = HandedOver(2)
            func take() -> Unmanaged<Job> {
                let cell = Cell(1)
                return spares.take {
                    runs.add(cell.value)
                }
            }
            return Run(
                { for _ in 0..<2 { handed.give(take(), by: 0) } },
                { for _ in 0..<2 { handed.give(take(), by: 1) } },
                {
                    for _ in 0..<3 {
                        for index in 0..<2 { while let job = handed.take(from: index) { spares.run(job) } }
                    }
                }
            ) {
                for index in 0..<2 { while let job = handed.take(from: index) { spares.run(job) } }
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
                },
                { _ = injector.runNext() }, { _ = injector.runNext() }
            ) {
                while injector.runNext() {}
                require(sum.value == 11, "sum \(sum.value)")
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
                require(accepted.value == ran.value, "\(accepted.value) accepted, \(ran.value) run")
            }
        },
    ]
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
