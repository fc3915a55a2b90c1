// SPDX-License-Identifier: Apache-2.0

import CExplorer
import RxPrimitives
import RxSwift

/// A queue, its producer that pauses, and its consumer.
private final class PausingQueue {
    private let queue = SPSCQueue<Element>()
    private let source = PausingSource()
    private let lock = Mutex()
    private var waiting = WaitingSources()
    var taken: [Int] = []

    /// - Parameter units: what the chunk of an element counts as; 0 if the element leaves its chunk open.
    func push(_ number: Int, units: UInt) {
        queue.push(Element(number))
        if units > 0 { queue.closeChunk(units: units) }
    }

    /// Asks, and waits while the source is paused.
    func ask() { source.ask(pauses) }

    /// Asks, and runs on regardless.
    func askInVain() { _ = pauses(source) }

    private func pauses(_ source: any PausableSource) -> Bool {
        if !queue.load.mustPause { return false }
        lock.withLock { waiting.add(source) }
        return queue.beginWait()
    }

    var units: UInt { queue.load.units }

    func take(until count: Int) {
        while taken.count < count {
            if queue.isUsedUp {
                guard queue.findMore() else {
                    rx_model_yield()
                    continue
                }
                if queue.takeChunkEnd(), queue.takeWait() {
                    lock.lock()
                    let sources = waiting.takeAll()
                    lock.unlock()
                    sources.resume()
                }
            }
            taken.append(queue.popKnown().number)
        }
    }
}

extension Scenario {
    /// The load of a queue, and the wait of its producer.
    static let pausingQueues: [Scenario] = [
        queue("pressure.queue-light", [0, 0, 0, 0, 0, 0]),
        queue("pressure.queue-closed-early", [1, 1, 1, 1, 1]),
        queue("pressure.queue-heavy", [5, 5, 5, 5]),
        queue("pressure.queue-mixed", [0, 9, 1, 0, 5]),
        queue("pressure.queue-reuses", [0, 9, 0, 0, 0, 0, 0]),
        queue("pressure.queue-advice", [1, 1, 1, 1, 1], asksInVain: true),
    ]

    /// - Parameters:
    ///   - units: what the chunk of each element counts as.
    ///   - asksInVain: whether the producer does not pause but for its last question.
    private static func queue(_ name: String, _ units: [UInt], asksInVain: Bool = false) -> Scenario {
        Scenario(name, "the producer of a full queue goes on once the queue has emptied, and nothing is lost") {
            let queue = PausingQueue()
            return Run(
                {
                    for (index, chunk) in units.enumerated() {
                        queue.push(index + 1, units: chunk)
                        if asksInVain, index + 1 < units.count { queue.askInVain() } else { queue.ask() }
                    }
                },
                { queue.take(until: units.count) }
            ) {
                require(queue.taken == Array(1...units.count), "\(queue.taken)")
                // The last chunk stays.
                require(queue.units == max(1, min(units.last!, 2)), "the load of the empty queue: \(queue.units)")
            }
        }
    }
}
