// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import Testing

/// Holds a deque as the worker of a pool does, because `#expect` takes no noncopyable values.
private final class Owner: @unchecked Sendable {
    private let deque: WorkStealingDeque

    init(capacity: Int = 64) { deque = WorkStealingDeque(initialCapacity: capacity) }

    var isEmpty: Bool { deque.isEmpty }
    func push(_ word: UInt) { deque.push(word) }
    func push(_ words: [UInt], limit: Int) -> Int {
        var taken = 0
        deque.push(upTo: limit) {
            guard taken < words.count else { return nil }
            taken += 1
            return words[taken - 1]
        }
        return taken
    }
    func pop() -> UInt? { deque.pop() }
    func steal() -> UInt? { deque.steal() }
    func steal(sparing skipped: UInt?) -> WorkStealingDeque.StealResult { deque.steal(sparing: skipped) }
}

/// Counts the times that each word was taken.
private final class Tally: @unchecked Sendable {
    private let counts: UnsafeMutablePointer<AtomicWord>
    private let size: Int

    init(_ size: Int) {
        self.size = size
        counts = .allocate(capacity: size)
        for index in 0..<size { (counts + index).initialize(to: AtomicWord(0)) }
    }

    deinit {
        counts.deinitialize(count: size)
        counts.deallocate()
    }

    func add(_ word: UInt) { _ = counts[Int(word)].fetchAdd(1) }

    /// The words from 1 on which were not taken exactly once.
    var wrong: [Int] { (1..<size).filter { counts[$0].loadAcquiring() != 1 } }
}

@Suite struct WorkStealingDequeTests {
    @Test("The owner takes the newest word and others take the oldest") func bothEnds() {
        let deque = Owner()
        #expect(deque.isEmpty && deque.pop() == nil && deque.steal() == nil)
        for word in 1...5 as ClosedRange<UInt> { deque.push(word) }
        #expect(deque.pop() == 5)
        #expect(deque.steal() == 1)
        #expect(deque.steal() == 2)
        #expect(deque.pop() == 4)
        #expect(!deque.isEmpty)
        #expect(deque.pop() == 3)
        #expect(deque.isEmpty && deque.pop() == nil && deque.steal() == nil)
    }

    @Test("Any mix of operations does the same as an array", arguments: [1, 2, 64])
    func mixedOperations(capacity: Int) {
        var random = SeededGenerator(seed: UInt64(capacity))
        let deque = Owner(capacity: capacity)
        var model: [UInt] = []
        var next: UInt = 1
        for _ in 0..<50_000 {
            switch random.next() % 7 {
            case 0, 1, 2:
                deque.push(next)
                model.append(next)
                next += 1
            case 3:
                let words = (0..<UInt(random.next() % 5)).map { next + $0 }
                let limit = Int(random.next() % 5)
                let count = deque.push(words, limit: limit)
                #expect(count == min(limit, words.count))
                model += words[0..<count]
                next += UInt(count)
            case 4, 5: #expect(deque.pop() == model.popLast())
            default: #expect(deque.steal() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(deque.isEmpty == model.isEmpty)
        }
    }

    @Test("A single word is skipped once") func sparedWord() {
        let deque = Owner()
        #expect(deque.steal(sparing: nil) == .nothing)
        deque.push(7)
        #expect(deque.steal(sparing: nil) == .only(0))
        #expect(deque.steal(sparing: 0) == .word(7))
        deque.push(8)
        #expect(deque.steal(sparing: 0) == .only(1))
        deque.push(9)
        #expect(deque.steal(sparing: nil) == .word(8))
        #expect(deque.steal(sparing: nil) == .only(2))
    }

    /// The race: owner and thief reach for the last word.
    @Test("The last word goes to one thread") func lastWord() {
        let count: UInt = 200_000
        let deque = Owner(capacity: 2)
        let tally = Tally(Int(count) + 1)
        let isDone = AtomicWord(0)
        onTwoThreads(
            {
                for word in 1...count {
                    deque.push(word)
                    if let taken = deque.pop() { tally.add(taken) }
                }
                isDone.storeReleasing(1)
            },
            {
                while isDone.loadAcquiring() == 0 {
                    if let taken = deque.steal() { tally.add(taken) }
                }
            })
        #expect(deque.isEmpty)
        #expect(tally.wrong == [])
    }

    /// The race: thieves read from rings that the owner outgrows, and from slots that it is about to write again.
    @Test("Each word is taken once while the deque grows and shrinks", arguments: [1, 4, 64])
    func growing(capacity: Int) {
        for round in 0..<20 {
            let count: UInt = 5_000
            let deque = Owner(capacity: capacity)
            let tally = Tally(Int(count) + 1)
            let isDone = AtomicWord(0)
            let thief: @Sendable () -> Void = {
                while true {
                    let wasDone = isDone.loadAcquiring() != 0
                    if let taken = deque.steal() { tally.add(taken) } else if wasDone { return }
                }
            }
            onThreads([
                {
                    var random = SeededGenerator(seed: UInt64(round))
                    var next: UInt = 1
                    while next <= count {
                        for _ in 0..<random.next() % 40 where next <= count {
                            deque.push(next)
                            next += 1
                        }
                        for _ in 0..<random.next() % 30 {
                            if let taken = deque.pop() { tally.add(taken) }
                        }
                    }
                    isDone.storeReleasing(1)
                }, thief, thief,
            ])
            #expect(tally.wrong == [])
        }
    }

    /// The race: as in an injector, the owner's part goes from thread to thread, and all take the oldest.
    @Test("Words pushed together are taken in order") func pushedTogether() {
        let count: UInt = 20_000
        let deque = Owner(capacity: 8)
        let isDone = AtomicWord(0)
        nonisolated(unsafe) var isOrdered = true
        nonisolated(unsafe) var total = 0
        let taken = AtomicWord(0)
        onTwoThreads(
            {
                var next: UInt = 1
                while next <= count {
                    let words = Array(next..<min(next + 7, count + 1))
                    next += UInt(deque.push(words, limit: 7))
                    if let word = deque.steal(), word != 0 { _ = taken.fetchAdd(1) }
                }
                isDone.storeReleasing(1)
            },
            {
                var last: UInt = 0
                while true {
                    let wasDone = isDone.loadAcquiring() != 0
                    if let word = deque.steal() {
                        if word <= last { isOrdered = false }
                        last = word
                        total += 1
                    } else if wasDone {
                        return
                    }
                }
            })
        #expect(isOrdered && total + Int(taken.loadAcquiring()) == Int(count))
    }
}
