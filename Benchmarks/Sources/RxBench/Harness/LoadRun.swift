// SPDX-License-Identifier: Apache-2.0

import CPlainPeers
import Dispatch
import Foundation
import Synchronization

/// One run of a side at one rate: open-loop producers, whose schedule does not depend on how fast events are delivered.
///
/// Event i is due at the time i / rate after the start, and producer i mod P sends it. A producer sends the due events, in pieces of at
/// most 64 between two looks at the clock. When no event is due it waits: it spins if each thread of the run can have a processor, else
/// it sleeps until the next tenth of a millisecond. The latency of an event lasts from its due time, so it includes the time that the
/// producer was late because an earlier send took long (no coordinated omission), and the producer's own sleep.
final class LoadRun: @unchecked Sendable {
    /// The parameters of a run.
    struct Plan {
        let producers: Int
        let spins: Bool
        /// The total number of events; a multiple of `producers`.
        let events: Int
        /// Nanoseconds between two events of all producers together; 0 if all events are due at the start.
        let interval: Double

        init(producers: Int, spins: Bool, events: Int, interval: Double) {
            self.producers = producers
            self.spins = spins
            self.events = max(producers, events / producers * producers)
            self.interval = interval
        }
    }

    /// The results of a run. Times are in nanoseconds from the start.
    struct Outcome {
        /// The time at which the last producer had sent its last event.
        var sent: UInt64 = 0
        /// The time at which the last event was delivered.
        var delivered: UInt64 = 0
        /// The most events that were accepted and not delivered.
        var longestQueue = 0
        /// Resident memory at its peak, less resident memory at the start.
        var bytes: UInt64 = 0
    }

    private let plan: Plan
    /// The latency of each event, in nanoseconds, in order of delivery. Only the delivering thread uses it until `done`.
    private let latencies: UnsafeMutableBufferPointer<UInt64>
    private let done = Completion()
    private let allSent = Completion()
    /// The number of events that each producer has sent.
    private let accepted: [Counter]
    /// The time at which each producer had sent its last event.
    private let producerEnds: [Counter]
    private let runningProducers: Counter

    // Used by the delivering thread only.
    private var count = 0
    private var checksum: UInt64 = 0
    private var longestQueue = 0
    private var end: UInt64 = 0

    private var start: UInt64 = 0
    private var send: (UInt64) -> Void = { _ in }

    private static let piece = 64
    private static let tick: UInt64 = 100_000

    init(_ plan: Plan, into latencies: UnsafeMutableBufferPointer<UInt64>) {
        precondition(plan.events <= latencies.count)
        self.plan = plan
        self.latencies = latencies
        accepted = (0..<plan.producers).map { _ in Counter() }
        producerEnds = (0..<plan.producers).map { _ in Counter() }
        runningProducers = Counter(plan.producers)
    }

    func run(_ side: LoadRow.Side) -> Outcome {
        let before = PeakMemory.reset()
        let pipeline = side.open { [unowned self] in deliver($0) }
        send = pipeline.send
        start(producers: produce)
        done.wait("load: a side")
        pipeline.close()
        check(side.name)
        let peak = PeakMemory.bytes()
        return Outcome(
            sent: sentTime, delivered: end - start, longestQueue: longestQueue, bytes: peak - min(before, peak))
    }

    /// Runs the same schedule without a pipeline: each producer notes the time at which it would have sent.
    func runGeneratorAlone() -> Outcome {
        start(producers: produceNothing)
        return Outcome(sent: sentTime, delivered: sentTime)
    }

    private var sentTime: UInt64 { UInt64(producerEnds.map { $0.load() }.max() ?? 0) }

    private func start(producers body: @escaping (Int) -> Void) {
        // Threads start before the schedule, so that it does not include their own start.
        start = plain_now() + 2_000_000
        for producer in 0..<plan.producers {
            Thread.detachNewThread { [self] in
                plain_sleep_until(start)
                body(producer)
                producerEnds[producer].store(Int(plain_now() - start))
                if runningProducers.subtract(1) == 0 { allSent.signal() }
            }
        }
        allSent.wait("load: the producers")
    }

    /// Returns `now - due`, or 0 if that is negative. Rounding can make an event due a nanosecond after the look at the clock that
    /// found it due.
    private func nanoseconds(since due: UInt64, at now: UInt64) -> UInt64 { now > due ? now - due : 0 }

    // MARK: Producers

    private func due(_ index: Int) -> UInt64 {
        start + UInt64(Double(index) * plan.interval)
    }

    private func produce(_ producer: Int) {
        let accepted = accepted[producer]
        generate(producer) { indices in
            for index in indices { send(due(index)) }
            accepted.store(accepted.load() + indices.count)
        }
    }

    private func produceNothing(_ producer: Int) {
        // Each producer has a slice of its own.
        let events = plan.events / plan.producers
        var place = producer * events
        generate(producer) { indices in
            for index in indices {
                latencies[place] = nanoseconds(since: due(index), at: plain_now())
                place += 1
            }
        }
    }

    /// Calls `body` with indices of events that are due.
    @inline(__always)
    private func generate(_ producer: Int, _ body: (DueEvents) -> Void) {
        var next = producer
        while next < plan.events {
            let now = plain_now()
            let first = due(next)
            if first > now {
                wait(from: now, until: first)
                continue
            }
            // Of the events of all producers, the first `dueCount` are due.
            let dueCount =
                plan.interval == 0 ? plan.events : min(plan.events, Int(Double(now - start) / plan.interval) + 1)
            let mine = max(1, (dueCount - next + plan.producers - 1) / plan.producers)
            let events = DueEvents(first: next, step: plan.producers, count: min(LoadRun.piece, mine))
            body(events)
            next += events.count * plan.producers
        }
    }

    private func wait(from now: UInt64, until due: UInt64) {
        if plan.spins { return plain_pause() }
        plain_sleep_until(max(due, (now / LoadRun.tick + 1) * LoadRun.tick))
    }

    // MARK: The delivering thread

    private func deliver(_ due: UInt64) {
        let now = plain_now()
        guard count < plan.events else { fail("load: more events were delivered than sent") }
        latencies[count] = nanoseconds(since: due, at: now)
        checksum &+= due
        count += 1
        if count & 255 == 0 || count == plan.events {
            longestQueue = max(longestQueue, accepted.reduce(0) { $0 + $1.load() } - count)
            if count == plan.events {
                end = now
                done.signal()
            }
        }
    }

    private func check(_ name: String) {
        var expected: UInt64 = 0
        for index in 0..<plan.events { expected &+= due(index) }
        if checksum != expected { fail("load: \(name): events were lost or doubled") }
    }
}

/// The indices of a producer's events that are due.
private struct DueEvents: Sequence {
    let first: Int
    let step: Int
    let count: Int

    func makeIterator() -> StrideToIterator<Int> {
        stride(from: first, to: first + count * step, by: step).makeIterator()
    }
}

/// Keeps the property that follows it two cache lines away in memory.
private struct CacheLines {
    private let words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
    private let more: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
}

/// A number that one thread writes and others read now and then.
private final class Counter: Sendable {
    private let value: Atomic<Int>
    private let padding = CacheLines()

    init(_ initial: Int = 0) { value = Atomic(initial) }

    func load() -> Int { value.load(ordering: .relaxed) }

    func store(_ new: Int) { value.store(new, ordering: .relaxed) }

    /// Returns the new value.
    func subtract(_ amount: Int) -> Int { value.subtract(amount, ordering: .acquiringAndReleasing).newValue }
}
