// SPDX-License-Identifier: Apache-2.0

import CSimulator
import RxIOUring
import RxSwift

/// The timers of a program, and when they fired.
final class TimerLog: @unchecked Sendable {
    struct Record {
        var lane = 0
        var loop = 0
        /// The time of the call and of its return, with the delay added.
        var earliest: UInt64 = 0
        var latest: UInt64 = 0
        var order = 0
        /// True if it has no delay: then it is work submitted at once, and fires behind other such work, not behind timers.
        var isImmediate = false
        var fired: [(time: UInt64, order: Int)] = []
        var isArmed = false
        /// True if the program has disposed of the timer, which then may fire or not.
        var isDisposed = false
        /// True from a `dispose` on the loop's own thread on.
        var mustNotFire = false
    }

    private var records: [Record]
    private var disposables: [(any Disposable)?]
    private var order = 0
    private var faults: [String] = []

    init(count: Int) {
        records = Array(repeating: Record(), count: count)
        disposables = Array(repeating: nil, count: count)
    }

    func loop(_ slot: Int) -> Int? { slot < records.count && records[slot].isArmed ? records[slot].loop : nil }

    func arm(_ slot: Int, _ lane: Int, loop: Int, _ microseconds: Int, _ scheduler: IOUringScheduler) {
        if records[slot].isArmed { return }
        order += 1
        let delay = UInt64(microseconds) * 1_000
        records[slot] = Record(
            lane: lane, loop: loop, earliest: rx_sim_now() + delay, order: order, isImmediate: delay == 0, isArmed: true
        )
        disposables[slot] = scheduler.scheduleRelative((), dueTime: .microseconds(microseconds)) { [self] _ in
            order += 1
            if records[slot].mustNotFire { faults.append("timer \(slot) fired after it was disposed of on its loop") }
            records[slot].fired.append((rx_sim_now(), order))
            return Disposables.create()
        }
        records[slot].latest = rx_sim_now() + delay
    }

    func dispose(_ slot: Int, onLoop: Bool) {
        guard slot < records.count, records[slot].isArmed, let disposable = disposables[slot] else { return }
        records[slot].isDisposed = true
        disposables[slot] = nil
        disposable.dispose()
        if onLoop { records[slot].mustNotFire = true }
    }

    func areOver(_ world: World) -> Bool {
        records.allSatisfy { !$0.isArmed || $0.isDisposed || !$0.fired.isEmpty || world.isEnded($0.loop) }
    }

    func check(_ world: World) {
        for fault in faults { world.fault(fault) }
        for (slot, record) in records.enumerated() where record.isArmed {
            if record.fired.count > 1 { world.fault("timer \(slot) fired \(record.fired.count) times") }
            if let fired = record.fired.first, fired.time < record.earliest {
                world.fault("timer \(slot) fired \(record.earliest - fired.time) ns before its time")
            }
            if record.fired.isEmpty, !record.isDisposed, !world.isEnded(record.loop) {
                world.fault("timer \(slot) did not fire")
            }
        }
        // A timer that the same thread armed later, for a later time, fires later. One without a delay is work like any other, which timers
        // overtake (law L4).
        for first in records where first.isArmed && !first.isImmediate {
            for second in records where second.isArmed && !second.isImmediate && second.order > first.order {
                guard first.loop == second.loop, first.lane == second.lane, first.latest < second.earliest,
                    let one = first.fired.first, let other = second.fired.first, one.order > other.order
                else { continue }
                world.fault("a timer for \(second.earliest) fired before one for \(first.latest)")
            }
        }
    }
}
