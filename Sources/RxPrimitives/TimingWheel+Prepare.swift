// SPDX-License-Identifier: Apache-2.0

// Moving slots down ahead of time, and looking without sorting. See TimingWheel.swift.

extension TimingWheel {
    /// Moves entries of the next slot of each level to the level below, where they will have to be when its time has come.
    ///
    /// When time crosses into a slot, all its entries have to be moved down; with thousands of them the timers due then would
    /// wait. For an owner that has nothing else to do. It changes nothing but when the work is done.
    /// - Parameter limit: the number of entries to move at most.
    /// - Returns: whether there are more.
    package func prepare(atMost limit: Int) -> Bool {
        var left = limit
        // From the lowest level whose slots, of 4 ms, hold many.
        var levels = rowsInUse & ~3
        while levels != 0 {
            let level = levels.trailingZeroBitCount
            levels &= levels &- 1
            let slot = TimingWheel.digit(level, of: state.pointee.elapsed) + 1
            // Behind the last slot comes one that is the next of a level above.
            if slot < 64, !moveDown(level, rowInUse(level), slot, &left) { return true }
        }
        return false
    }

    /// A time to call `expire` at next: not after the earliest deadline, and soon before it. Nil when nothing is armed.
    ///
    /// Constant time, unlike `earliestDeadline`: a slot of more than a tick that is not in order is looked at when it begins, and
    /// a tick with many timers in no order when it is over, at most 1,024 ns after the earliest deadline.
    package var nextCheck: UInt64? {
        if state.pointee.count == 0 { return nil }
        if state.pointee.earliestIsExact { return state.pointee.earliest }
        let lowest = lowestLevel(of: rowsInUse)
        if let ahead = lowestLevel(of: rowsAhead), (lowest ?? .max) > ahead { return nextStart(above: ahead) }
        guard let level = lowest else { return nil }
        let row = rowInUse(level)
        let slot = occupied[row].trailingZeroBitCount
        let start = self.start(of: slot, level)
        if unsorted[row] & 1 &<< UInt64(slot) != 0 {
            if level != 0 { return start }
            if !isShort(slots[row &<< TimingWheel.slotBits | slot], TimingWheel.few) {
                return (start | 1_023) &+ 1
            }
            sortIfNeeded(row: row, slot: slot)
        }
        state.pointee.earliest = slots[row &<< TimingWheel.slotBits | slot].dueTime
        state.pointee.earliestIsExact = true
        return state.pointee.earliest
    }

    /// The number of entries that are sorted in no time.
    private static var few: Int { 32 }

    /// The time at which a slot of the row in use begins.
    func start(of slot: Int, _ level: Int) -> UInt64 {
        let shift = TimingWheel.shift(of: level)
        return ((state.pointee.elapsed &>> shift) & ~63 | UInt64(slot)) &<< shift
    }

    /// The time at which the next slot of the level above begins.
    func nextStart(above level: Int) -> UInt64 {
        let shift = TimingWheel.shift(of: level &+ 1)
        return (state.pointee.elapsed &>> shift &+ 1) &<< shift
    }

    /// Moves the entries of the slot that begins at `start` down to where they have to be then, and begins it.
    ///
    /// `start` is the next nanosecond, and the levels below the slot hold nothing but entries moved down ahead from it. Until all
    /// are moved, entries armed for the time of the slot still go into it: entries with the same deadline keep their order.
    /// - Returns: false if the limit was reached before.
    func begin(_ start: UInt64, _ left: inout Int) -> Bool {
        let top = (start &>> TimingWheel.tickBits).trailingZeroBitCount / TimingWheel.slotBits
        if !moveDown(top, rowInUse(top), TimingWheel.digit(top, of: start), &left) { return false }
        for level in stride(from: top &- 1, to: 0, by: -1) {
            // The entries of the first slot belong to lower levels.
            if !moveDown(level, rowAhead(level), 0, &left) { return false }
        }
        state.pointee.elapsed = start
        state.pointee.secondRows ^= 1 &<< UInt64(top) &- 1
        return true
    }

    /// Moves entries of a slot to the row ahead of the level below. Returns whether all were moved.
    private func moveDown(_ level: Int, _ row: Int, _ slot: Int, _ left: inout Int) -> Bool {
        let below = rowAhead(level &- 1)
        while occupied[row] & 1 &<< UInt64(slot) != 0 {
            if left == 0 { return false }
            left &-= 1
            // The oldest first: entries with the same deadline keep their order, also with those that come later.
            let entry = slots[row &<< TimingWheel.slotBits | slot]
            unlink(entry)
            append(entry, row: below, slot: TimingWheel.digit(level &- 1, of: entry.dueTime))
        }
        return true
    }

    /// The number of bits by which a time is longer than the numbers of a level's slots.
    private static func shift(of level: Int) -> UInt64 { UInt64(level &* slotBits) &+ tickBits }

    private static func digit(_ level: Int, of time: UInt64) -> Int {
        Int(truncatingIfNeeded: time &>> shift(of: level)) & 63
    }
}
