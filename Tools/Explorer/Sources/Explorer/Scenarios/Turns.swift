// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// A serial scheduler whose turns are run by a thread of the scenario.
final class Turns {
    private let parker = Parker()
    let queue: ScenarioTurns
    /// The number of wakes. By one thread at a time, each of which has seen what the one before did.
    private let wakes = Cell()
    /// The number of turns that were run. Only the one at work.
    private var turns = 0
    /// The numbers of what ran. Only the one at work.
    var order: [Int] = []

    init(batchLimit: Int = 512) {
        queue = ScenarioTurns(batchLimit: batchLimit) { [parker, wakes] in
            wakes.value += 1
            parker.unpark()
        }
    }

    /// Runs the turns that are left when all threads have ended, as every scheduler does.
    func finish() {
        while wakes.value > turns { drain() }
    }

    private func drain() {
        turns += 1
        queue.drainBatch()
    }

    /// Runs turns until so much has been done.
    func work(until count: Int) {
        while order.count < count {
            parker.park(until: .max)
            drain()
        }
    }

    /// A piece of work that notes its number.
    func note(_ number: Int, _ body: @escaping () -> Void = {}) -> Job {
        let element = Element(number)
        return ScenarioJob { [unowned self] in
            requireNoLock()
            order.append(element.number)
            body()
        }
    }

    func submit(_ number: Int) { queue.submit(note(number)) }

    /// - Parameters:
    ///   - weigh: weighs an element.
    ///   - pauses: tells whether the downstream pauses the hop.
    func hop(
        weigh: ((Element) -> Int)? = nil, pauses: @escaping (any PausableSource) -> Bool = { _ in false }
    ) -> ObserveOnSink<Element> {
        let sink = ScenarioSink<Element>(
            next: { [unowned self] in order.append($0.number) }, end: { [unowned self] in order.append(-1) },
            pauses: pauses)
        return ObserveOnSink(downstream: sink, scheduler: queue, weigh: weigh)
    }
}
