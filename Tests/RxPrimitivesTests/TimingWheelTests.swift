// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import Testing

/// A timer with the number of the step at which it was armed.
private final class Probe: TimerEntry {
    var order = 0
    private let tracked: Tracked?

    init(deadline: UInt64 = .max, _ counter: LiveCounter? = nil) {
        tracked = counter.map(Tracked.init)
        super.init(deadline: deadline)
    }
}

/// The behaviour of a wheel, implemented in the plainest way.
private struct SortedModel {
    private(set) var armed: [Probe] = []

    var earliest: UInt64? { armed.first?.deadline }

    mutating func insert(_ probe: Probe) {
        var low = 0
        var high = armed.count
        while low < high {
            let middle = (low + high) / 2
            if armed[middle].deadline <= probe.deadline { low = middle + 1 } else { high = middle }
        }
        armed.insert(probe, at: low)
    }

    mutating func remove(_ probe: Probe) -> Bool {
        guard let index = armed.firstIndex(where: { $0 === probe }) else { return false }
        armed.remove(at: index)
        return true
    }

    mutating func expire(upTo now: UInt64) -> [Probe] {
        let count = armed.firstIndex { $0.deadline > now } ?? armed.count
        defer { armed.removeFirst(count) }
        return Array(armed.prefix(count))
    }
}

/// Embeds a wheel as a scheduler does, because `#expect` takes no noncopyable values.
private final class Owner {
    private let wheel: TimingWheel

    init(now: UInt64) { wheel = TimingWheel(now: now) }

    var count: Int { wheel.count }
    var earliestDeadline: UInt64? { wheel.earliestDeadline }
    var nextCheck: UInt64? { wheel.nextCheck }
    func prepare(atMost limit: Int) -> Bool { wheel.prepare(atMost: limit) }
    func insert(_ probe: Probe, now: UInt64 = 0) { wheel.insert(probe, now: now) }
    @discardableResult func remove(_ probe: Probe) -> Bool { wheel.remove(probe) }
    func batch(upTo now: UInt64) -> TimerBatch { wheel.expire(upTo: now) }
    func expire(upTo now: UInt64) -> [Probe] { drain(wheel.expire(upTo: now)) }

    /// Expires in pieces, and runs `between` after each but the last.
    func expire(upTo now: UInt64, inPiecesOf limit: Int, _ between: () -> Void) -> [Probe] {
        var batch = TimerBatch()
        while !wheel.expire(upTo: now, into: &batch, atMost: limit) { between() }
        return drain(batch)
    }
}

private func drain(_ batch: consuming TimerBatch) -> [Probe] {
    var probes: [Probe] = []
    while let entry = batch.popFirst() { probes.append(entry as! Probe) }
    return probes
}

/// Intervals from a nanosecond to days, each magnitude as likely as the next, with some ties and some that never come.
private func interval(_ random: inout SeededGenerator) -> UInt64 {
    switch random.next() % 40 {
    case 0: return .max
    case 1: return UInt64.max >> (random.next() % 8)
    case 2: return 0
    case 3...8: return 1_000_000 * (random.next() % 4)
    default: return random.next() >> (64 - 1 - random.next() % 49)
    }
}

@Suite struct TimingWheelTests {
    @Test("The wheel behaves as a sorted array under random operations", arguments: [1, 2, 3, 4] as [UInt64])
    func sortedArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        // Seed 3 starts just below a carry through every level, seed 4 at zero.
        var now: UInt64 = seed == 3 ? (1 << 52) - 5_000_000 : seed == 4 ? 0 : random.next() >> 10
        let wheel = Owner(now: now)
        var model = SortedModel()
        let pool = (0..<300).map { _ in Probe() }
        var failures = 0
        func check(_ holds: Bool) { if !holds { failures += 1 } }

        for step in 0..<100_000 {
            let probe = pool[Int(random.next() % UInt64(pool.count))]
            switch random.next() % 100 {
            case 0..<55 where !probe.isArmed:
                let (deadline, overflow) = now.addingReportingOverflow(interval(&random))
                probe.deadline = overflow ? .max : deadline
                // Some timers are overdue when they are armed.
                if random.next() % 50 == 0 { probe.deadline = now - min(now, random.next() % 3000) }
                probe.order = step
                wheel.insert(probe, now: random.next() % 2 == 0 ? now : 0)
                model.insert(probe)
            case 0..<70:
                let wasArmed = probe.isArmed
                check(wheel.remove(probe) == wasArmed)
                check(model.remove(probe) == wasArmed)
            default:
                switch random.next() % 8 {
                case 0: now = model.earliest.map { $0 == .max ? now : max(now, $0) } ?? now
                case 1: now = model.earliest.map { $0 == .max || $0 == 0 ? now : max(now, $0 - 1) } ?? now
                case 2: now += random.next() >> (64 - 1 - random.next() % 42)
                default: now += random.next() % 3_000
                }
                // The thread may have been slow between reading the clock and locking the wheel.
                let told = random.next() % 20 == 0 ? now - min(now, random.next() % 5_000) : now
                let due = wheel.expire(upTo: told)
                let expected = model.expire(upTo: told)
                check(due.map(\.order) == expected.map(\.order))
                check(due.allSatisfy { !$0.isArmed && $0.deadline <= told })
                // Otherwise a thread that waits until then would look for ever.
                if told == now { check(wheel.nextCheck.map { $0 > now } ?? true) }
            }
            if random.next() % 4 == 0 { _ = wheel.prepare(atMost: Int(random.next() % 4)) }
            if random.next() % 3 == 0 {
                let look = wheel.nextCheck
                check((look == nil) == (model.earliest == nil) && look ?? 0 <= model.earliest ?? 0)
            }
            check(wheel.count == model.armed.count)
            if random.next() % 3 == 0 { check(wheel.earliestDeadline == model.earliest) }
            if failures > 0 {
                Issue.record("the wheel differs from the model at step \(step) of seed \(seed)")
                return
            }
        }
        check(wheel.expire(upTo: .max).map(\.order) == model.expire(upTo: .max).map(\.order))
        check(wheel.count == 0 && wheel.earliestDeadline == nil)
        #expect(failures == 0)
    }

    /// Timers are armed and cancelled between the pieces, as other threads do.
    @Test("Expiry in pieces behaves as a sorted array", arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func expiryInPieces(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        // Odd seeds: timers crowd into few ticks.
        let crowded = seed % 2 == 1
        var now: UInt64 = seed == 3 ? (1 << 52) - 5_000_000 : random.next() >> 10
        let wheel = Owner(now: now)
        var model = SortedModel()
        let pool = (0..<600).map { _ in Probe() }
        var failures = 0
        func check(_ holds: Bool) { if !holds { failures += 1 } }
        func change(after time: UInt64, _ step: Int) {
            let probe = pool[Int(random.next() % UInt64(pool.count))]
            if probe.isArmed {
                if random.next() % 4 == 0 { check(wheel.remove(probe) && model.remove(probe)) }
                return
            }
            // An earlier piece has returned this timer already.
            if model.armed.contains(where: { $0 === probe }) { return }
            let distance = crowded ? random.next() % 3_000 : interval(&random)
            let (deadline, overflow) = time.addingReportingOverflow(max(1, distance))
            probe.deadline = overflow ? .max : deadline
            probe.order = step
            wheel.insert(probe, now: now)
            model.insert(probe)
        }
        for step in 0..<6_000 {
            if random.next() % (crowded ? 500 : 20) != 0 {
                change(after: now, step)
                continue
            }
            now += crowded ? random.next() % 3_000 : random.next() >> (64 - 1 - random.next() % 44)
            let limit = Int(random.next() % 8) + 1
            let due = wheel.expire(upTo: now, inPiecesOf: limit) {
                for _ in 0..<3 { change(after: now, step) }
                if random.next() % 8 == 0 { _ = wheel.prepare(atMost: 2) }
                let look = wheel.nextCheck
                check((look == nil) == (model.earliest == nil))
            }
            // The remaining timers of a crowded tick expire after the tick.
            let expected = model.expire(upTo: now)
            let held = expected.dropFirst(due.count)
            check(due.map(\.order) == expected.prefix(due.count).map(\.order))
            check(held.allSatisfy { $0.deadline >> 10 == now >> 10 && $0.isArmed })
            check(held.isEmpty || held.count + model.armed.count > limit)
            for probe in held { model.insert(probe) }
            if let look = wheel.nextCheck { check(held.isEmpty ? look > now : look <= (now | 1_023) + 1) }
            if random.next() % 3 == 0 { check(wheel.earliestDeadline == model.earliest) }
            if failures > 0 {
                Issue.record("the wheel differs from the model at step \(step) of seed \(seed)")
                return
            }
        }
        check(wheel.expire(upTo: .max, inPiecesOf: 5) {}.map(\.order) == model.expire(upTo: .max).map(\.order))
        check(wheel.count == 0 && wheel.nextCheck == nil)
        #expect(failures == 0)
    }

    @Test("A timer expires at its deadline and not a nanosecond before", arguments: 0..<63 as Range<UInt64>)
    func exactDeadline(bit: UInt64) {
        let deadline: UInt64 = 12_345 + 1 << bit
        let wheel = Owner(now: 12_345)
        let probe = Probe(deadline: deadline)
        wheel.insert(probe)
        #expect(wheel.earliestDeadline == deadline)
        #expect(wheel.expire(upTo: deadline - 1).isEmpty)
        #expect(probe.isArmed)
        #expect(wheel.expire(upTo: deadline).first === probe)
        #expect(!probe.isArmed)
    }

    @Test("Equal deadlines keep the order of arming through cascades") func equalDeadlines() {
        let wheel = Owner(now: 0)
        let deadline: UInt64 = 3_600_000_000_000
        let probes = (0..<100).map { _ in Probe(deadline: deadline) }
        for (index, probe) in probes.enumerated() {
            wheel.insert(probe)
            // Ever nearer, so that early ones cascade past the place where late ones are armed.
            let now = deadline - deadline >> UInt64(index / 3 + 1) - 1
            #expect(wheel.expire(upTo: min(now, deadline - 1)).isEmpty)
        }
        let due = wheel.expire(upTo: deadline)
        #expect(due.count == 100)
        #expect(zip(due, probes).allSatisfy { $0 === $1 })
    }

    @Test("The earliest deadline stays exact when the earliest timer is cancelled") func cancelledEarliest() {
        var random = SeededGenerator(seed: 11)
        let wheel = Owner(now: 0)
        // All in one slot, out of order.
        let probes = (0..<500).map { _ in Probe(deadline: 1 << 40 + random.next() % (1 << 39)) }
        for probe in probes { wheel.insert(probe) }
        for probe in probes.sorted(by: { $0.deadline < $1.deadline }) {
            #expect(wheel.earliestDeadline == probe.deadline)
            #expect(wheel.remove(probe))
        }
        #expect(wheel.earliestDeadline == nil)
    }

    @Test("remove has no effect on a timer that is not armed") func removeUnarmed() {
        let wheel = Owner(now: 0)
        let probe = Probe(deadline: 10)
        #expect(!wheel.remove(probe))
        wheel.insert(probe)
        #expect(wheel.remove(probe))
        #expect(!wheel.remove(probe))
        wheel.insert(probe)
        let batch = wheel.batch(upTo: 10)
        #expect(!probe.isArmed)
        #expect(!wheel.remove(probe))
        #expect(wheel.count == 0)
        #expect(drain(batch).count == 1)
    }

    @Test("A timer may be armed again while its batch is processed") func rearming() {
        let wheel = Owner(now: 0)
        let probes = (0..<3).map { Probe(deadline: UInt64($0)) }
        for probe in probes { wheel.insert(probe) }
        let batch = wheel.batch(upTo: 5)
        for probe in probes.reversed() {
            probe.deadline = 100
            wheel.insert(probe)
        }
        let first = drain(batch)
        #expect(zip(first, probes).allSatisfy { $0 === $1 } && first.count == 3)
        let second = wheel.expire(upTo: 100)
        #expect(zip(second, probes.reversed()).allSatisfy { $0 === $1 } && second.count == 3)
    }

    @Test("remove, the batch and the wheel release their timers") func release() {
        let counter = LiveCounter()
        do {
            let wheel = Owner(now: 0)
            let cancelled = Probe(deadline: 5, counter)
            wheel.insert(cancelled)
            for deadline in 0..<200 as Range<UInt64> { wheel.insert(Probe(deadline: deadline << 20, counter)) }
            #expect(counter.live == 201)
            wheel.remove(cancelled)
            var batch = wheel.batch(upTo: 99 << 20)
            #expect(counter.live == 201)
            for _ in 0..<40 { _ = batch.popFirst() }
            #expect(counter.live == 161)
            _ = consume batch
            #expect(counter.live == 101)
            _ = cancelled.isArmed
        }
        #expect(counter.live == 0)
    }

    @Test("A timer with the largest deadline never expires") func largestDeadline() {
        let wheel = Owner(now: 0)
        wheel.insert(Probe(deadline: .max))
        #expect(wheel.expire(upTo: .max - 1).isEmpty)
        #expect(wheel.earliestDeadline == .max)
    }
}
