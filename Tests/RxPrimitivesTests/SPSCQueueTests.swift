// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives
import Testing

/// Embeds a queue as an operator does, because `#expect` takes no noncopyable values.
private final class Owner<Element>: @unchecked Sendable {
    private let queue = SPSCQueue<Element>()

    var isEmpty: Bool { queue.isEmpty }
    func push(_ element: Element) { queue.push(element) }
    func pop() -> Element? { queue.pop() }
    func closeChunk(units: UInt) { queue.closeChunk(units: units) }
}

@Suite struct SPSCQueueTests {
    @Test("Elements leave in the order of their arrival across chunks") func firstInFirstOut() {
        let queue = Owner<Int>()
        #expect(queue.isEmpty)
        #expect(queue.pop() == nil)
        for count in [1, 63, 64, 65, 128, 1000] {
            for value in 0..<count { queue.push(value) }
            for value in 0..<count {
                #expect(!queue.isEmpty)
                #expect(queue.pop() == value)
            }
            #expect(queue.isEmpty)
            #expect(queue.pop() == nil)
        }
    }

    @Test("Any mix of push and pop keeps the order") func mixedOperations() {
        var random = SeededGenerator(seed: 7)
        let queue = Owner<Int>()
        var pushed = 0
        var popped = 0
        for _ in 0..<100_000 {
            if random.next() % 2 == 0 {
                queue.push(pushed)
                pushed += 1
            } else if let value = queue.pop() {
                #expect(value == popped)
                popped += 1
            } else {
                #expect(pushed == popped)
            }
        }
    }

    @Test("An optional element that is nil is an element") func nilElements() {
        let queue = Owner<Int?>()
        queue.push(nil)
        queue.push(1)
        #expect(queue.pop() == .some(nil))
        #expect(queue.pop() == .some(1))
        #expect(queue.pop() == nil)
    }

    @Test("Elements of wide alignment and of no size are stored properly") func alignment() {
        let wide = Owner<SIMD8<UInt64>>()
        let empty = Owner<Void>()
        for value in 0..<200 as Range<UInt64> {
            wide.push(SIMD8(repeating: value))
            empty.push(())
        }
        for value in 0..<200 as Range<UInt64> {
            #expect(wide.pop() == SIMD8(repeating: value))
            #expect(empty.pop() != nil)
        }
        #expect(wide.isEmpty && empty.isEmpty)
    }

    @Test("Elements are released when popped and with the queue", arguments: [0, 1, 64, 65, 300], [0, 1, 64, 200])
    func release(pushed: Int, popped: Int) {
        let counter = LiveCounter()
        do {
            let queue = Owner<Tracked>()
            for _ in 0..<pushed { queue.push(Tracked(counter)) }
            #expect(counter.live == pushed)
            for _ in 0..<popped { _ = queue.pop() }
            #expect(counter.live == max(0, pushed - popped))
        }
        #expect(counter.live == 0)
    }

    @Test("Chunks of light and heavy elements in turns keep the order", arguments: [1, 3, 100, 700])
    func lightAndHeavy(_ run: Int) {
        let queue = Owner<Int>()
        var popped = 0
        for number in 0..<20_000 {
            queue.push(number)
            if number / run % 2 == 0 { queue.closeChunk(units: 3) }
            // The queue grows and shrinks in turns.
            let pops = number / 2_000 % 2 == 0 ? 0 : 2
            for _ in 0..<pops where queue.pop().map({ $0 == popped }) == true { popped += 1 }
        }
        while let number = queue.pop() {
            #expect(number == popped)
            popped += 1
        }
        #expect(popped == 20_000)
    }

    @Test("Two spinning threads lose no element and keep the order") func twoThreads() {
        let queue = Owner<Int>()
        let items = 1_000_000
        onTwoThreads(
            { for value in 0..<items { queue.push(value) } },
            {
                var expected = 0
                var inOrder = true
                while expected < items {
                    guard let value = queue.pop() else {
                        sched_yield()
                        continue
                    }
                    inOrder = inOrder && value == expected
                    expected += 1
                }
                #expect(inOrder)
                #expect(queue.isEmpty)
            })
    }

    @Test("Objects cross between spinning threads and are released") func objectsAcrossThreads() {
        let counter = LiveCounter()
        do {
            let queue = Owner<Tracked>()
            let items = 50_000
            onTwoThreads(
                { for _ in 0..<items { queue.push(Tracked(counter)) } },
                {
                    // Some are left for the queue to release.
                    var rest = items - 100
                    while rest > 0 { if queue.pop() != nil { rest -= 1 } else { sched_yield() } }
                })
            #expect(counter.live == 100)
        }
        #expect(counter.live == 0)
    }

    // MARK: References

    private final class Element {
        @exclusivity(unchecked) var number: Int
        init(_ number: Int) { self.number = number }
        deinit { number = 0 }
    }

    /// Not generic, so that an optimized build specializes all of it.
    private final class Producer: @unchecked Sendable {
        let queue = SPSCQueue<Element>()

        /// Pushes an object and reads it afterwards.
        @inline(never)
        func pushAndRead(_ number: Int) -> Int {
            let element = Element(number)
            queue.push(element)
            return element.number
        }
    }

    /// The race: the consumer releases an element right when it is published. If the producer retained it for the queue only
    /// after that (the optimizer moves a retain past an atomic store), this would be the last release, and the producer would
    /// read a freed object.
    @Test("The queue retains an element before it publishes it") func retainBeforePublish() {
        let producer = Producer()
        let rounds = 500_000
        let wrong = AtomicWord(0)
        onTwoThreads(
            {
                for round in 1...rounds where producer.pushAndRead(round) != round { _ = wrong.fetchAdd(1) }
            },
            {
                var popped = 0
                while popped < rounds {
                    if producer.queue.pop() != nil { popped += 1 }
                }
            })
        #expect(wrong.loadRelaxed() == 0)
    }
}
