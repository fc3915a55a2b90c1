import RxPrimitives
import Testing

// A model of the deque's steps: all interleavings of one owner's script with two thieves, on a ring of one slot that grows.
// Each step is one access to shared memory. Plain stores of the owner wait in a store buffer, as on x86: they become visible at
// any later time, but before its next exchange or compare-exchange.

/// What the owner does.
private enum Call: CaseIterable { case push, pop }

/// How `pop` lowers `bottom`.
private enum Lowering { case exchange, plainStore }

private struct Machine: Hashable {
    // Shared.
    var top = 0
    var bottom = 0
    /// By ring: its slots. Words count from 1.
    var rings: [[Int]] = [[0]]
    var ring = 0
    /// What the owner wrote to `bottom` and others do not see yet.
    var buffer: [Int] = []

    // The owner's.
    var calls = 0
    var step = 0
    var ownTop = 0
    var pushed = 0

    // The thieves'.
    var thieves: [Thief]

    /// Bit n: word n was taken.
    var taken = 0
    var takenTwice = false

    struct Thief: Hashable {
        var left: Int
        var step = 0
        var top = 0
        var ring = 0
        var word = 0
    }

    var ownBottom: Int { buffer.last ?? bottom }

    mutating func take(_ word: Int) {
        if taken & 1 << word != 0 { takenTwice = true }
        taken |= 1 << word
    }

    mutating func flush() {
        if let last = buffer.last { bottom = last }
        buffer = []
    }

    func word(_ ring: Int, at index: Int) -> Int { rings[ring][index % rings[ring].count] }

    /// One step of the owner.
    mutating func stepOwner(_ script: [Call], _ lowering: Lowering) {
        switch (script[calls], step) {
        case (.push, 0):
            if ownBottom - top >= rings[ring].count {
                var larger = Array(repeating: 0, count: rings[ring].count * 2)
                for index in top..<ownBottom { larger[index % larger.count] = word(ring, at: index) }
                rings.append(larger)
                // Released after the copy; one step is enough, as nobody else writes to a ring.
                ring = rings.count - 1
            }
            step = 1
        case (.push, 1):
            pushed += 1
            rings[ring][ownBottom % rings[ring].count] = pushed
            step = 2
        case (.push, _):
            let end = ownBottom + 1
            flush()
            bottom = end
            endCall()
        case (.pop, 0):
            if ownBottom - top <= 0 { return endCall() }
            let newest = ownBottom - 1
            if lowering == .exchange {
                flush()
                bottom = newest
            } else {
                buffer.append(newest)
            }
            step = 1
        case (.pop, 1):
            ownTop = top
            let newest = ownBottom
            if newest - ownTop > 0 {
                take(word(ring, at: newest))
                return endCall()
            }
            step = newest == ownTop ? 2 : 3
        case (.pop, 2):
            let newest = ownBottom
            flush()
            if top == newest {
                top = newest + 1
                take(word(ring, at: newest))
            }
            step = 3
        case (.pop, _):
            buffer.append(ownBottom + 1)
            endCall()
        }
    }

    private mutating func endCall() {
        calls += 1
        step = 0
    }

    /// One step of a thief.
    mutating func stepThief(_ index: Int) {
        var thief = thieves[index]
        switch thief.step {
        case 0:
            thief.top = top
            thief.step = 1
        case 1:
            if bottom - thief.top <= 0 {
                thief = Thief(left: thief.left - 1)
            } else {
                thief.step = 2
            }
        case 2:
            thief.ring = ring
            thief.step = 3
        case 3:
            thief.word = word(thief.ring, at: thief.top)
            thief.step = 4
        default:
            if top == thief.top {
                top += 1
                take(thief.word)
                thief = Thief(left: thief.left - 1)
            } else {
                thief = Thief(left: thief.left)
            }
        }
        thieves[index] = thief
    }

    /// Nothing is left to do: each word was taken, or is still there.
    var isSound: Bool {
        var all = taken
        if top < bottom {
            for index in top..<bottom {
                if all & 1 << word(ring, at: index) != 0 { return false }
                all |= 1 << word(ring, at: index)
            }
        }
        return all == (1 << (pushed + 1)) - 2
    }
}

/// Goes through all interleavings. Returns how many states there are, or nil if one of them is wrong.
private func explore(_ script: [Call], thefts: [Int], _ lowering: Lowering) -> Int? {
    let start = Machine(thieves: thefts.map { Machine.Thief(left: $0) })
    var seen: Set = [start]
    var open = [start]
    while let machine = open.popLast() {
        var successors: [Machine] = []
        if machine.calls < script.count {
            var next = machine
            next.stepOwner(script, lowering)
            successors.append(next)
        }
        if !machine.buffer.isEmpty {
            var next = machine
            next.bottom = next.buffer.removeFirst()
            successors.append(next)
        }
        for index in machine.thieves.indices where machine.thieves[index].left > 0 {
            var next = machine
            next.stepThief(index)
            successors.append(next)
        }
        if successors.isEmpty, !machine.isSound { return nil }
        for next in successors {
            if next.takenTwice { return nil }
            if seen.insert(next).inserted { open.append(next) }
        }
    }
    return seen.count
}

/// All scripts of a length in which something is pushed first.
private func scripts(_ length: Int) -> [[Call]] {
    if length == 1 { return [[.push]] }
    return scripts(length - 1).flatMap { script in Call.allCases.map { script + [$0] } }
}

@Suite struct WorkStealingDequeModelTests {
    @Test func inAllInterleavingsEachWordIsTakenOnce() {
        var states = 0
        for script in scripts(5) {
            let count = explore(script, thefts: [2, 1], .exchange)
            #expect(count != nil, "\(script)")
            states += count ?? 0
        }
        #expect(states > 10_000)
    }

    /// What the exchange is for: with a plain store the owner reads `top` before thieves see its claim.
    @Test func withAPlainStoreOneWordWouldBeTakenTwice() {
        #expect(explore([.push, .push, .pop, .pop], thefts: [1, 1], .plainStore) == nil)
        #expect(explore([.push, .push, .pop, .pop], thefts: [1, 1], .exchange) != nil)
    }
}
