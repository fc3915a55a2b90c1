// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A queue in an object, as its users have it.
private final class Queue {
    let queue = SPSCQueue<Element>()
}

private final class Deque {
    let deque: WorkStealingDeque

    init(capacity: Int) { deque = WorkStealingDeque(initialCapacity: capacity) }
}

extension Scenario {
    static let queues: [Scenario] = [
        spsc("queue.spsc", reusesMemory: false),
        spsc("queue.spsc-reusing", reusesMemory: true),
        Scenario("queue.spsc-released", "elements that nobody took are released with the queue") {
            var queue: Queue? = Queue()
            let threads: [() -> Void] = [
                { [queue] in for number in 1...5 { queue!.queue.push(Element(number)) } },
                { [queue] in for _ in 0..<3 { _ = queue!.queue.pop() } },
            ]
            return Run(threads: threads) { queue = nil }
        },
        deque("queue.deque-last", words: 1, grows: false, thefts: [1, 1]),
        deque("queue.deque-two", words: 2, grows: false, thefts: [1, 1]),
        deque("queue.deque-grows", words: 3, grows: true, thefts: [2]),
    ]

    private static func spsc(_ name: String, reusesMemory: Bool) -> Scenario {
        Scenario(
            name, "elements come out once, in order, and as they were written", preemptions: 4,
            reusesMemory: reusesMemory
        ) {
            let queue = Queue()
            let count = 5
            var taken: [Int] = []
            return Run(
                { for number in 1...count { queue.queue.push(Element(number)) } },
                { for _ in 0..<count + 1 { if let element = queue.queue.pop() { taken.append(element.number) } } }
            ) {
                while let element = queue.queue.pop() { taken.append(element.number) }
                require(taken == Array(1...count), "\(taken)")
            }
        }
    }

    private static func deque(_ name: String, words: Int, grows: Bool, thefts: [Int]) -> Scenario {
        Scenario(name, "each word is taken once, by its owner or a thief, and as it was written") {
            let deque = Deque(capacity: grows ? 1 : 4)
            var taken: [[Int]] = Array(repeating: [], count: thefts.count + 1)
            let results = UnsafeMutableBufferPointer<[Int]>.allocate(capacity: thefts.count + 1)
            results.initialize(repeating: [])
            func number(_ word: UInt) -> Int {
                let element = Unmanaged<Element>.fromOpaque(UnsafeRawPointer(bitPattern: word)!).takeRetainedValue()
                return element.number
            }
            func push(_ number: Int) {
                deque.deque.push(UInt(bitPattern: Unmanaged.passRetained(Element(number)).toOpaque()))
            }
            let owner: () -> Void = {
                for number in 1...words { push(number) }
                for _ in 1...words { if let word = deque.deque.pop() { results[0].append(number(word)) } }
                push(words + 1)
            }
            let thieves = thefts.enumerated().map { index, count in
                { () -> Void in
                    for _ in 0..<count { if let word = deque.deque.steal() { results[index + 1].append(number(word)) } }
                }
            }
            return Run(threads: [owner] + thieves) {
                while let word = deque.deque.pop() { results[0].append(number(word)) }
                taken = Array(results)
                results.deinitialize()
                results.deallocate()
                require(taken.flatMap { $0 }.sorted() == Array(1...words + 1), "\(taken)")
            }
        }
    }
}
