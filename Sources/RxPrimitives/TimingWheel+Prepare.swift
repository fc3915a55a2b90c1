// Moving slots down ahead of time, and looking without sorting. See TimingWheel.swift.

extension TimingWheel {
    /// Moves entries of the next slot of each level to the level below, where they will have to be when its time has come.
    ///
    /// When time crosses into a slot, all its entries have to be moved down; with thousands of them the timers due then would
    /// wait. For an owner who has nothing else to do. It changes nothing but when the work is done.
    /// - Parameter limit: how many entries to move at most.
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
            if slot < 64, !moveDown(level, slot, &left) { return true }
        }
        return false
    }

    /// A time to call `expire` at next: not after the earliest deadline, and soon before it. Nil when nothing is armed.
    ///
    /// Unlike `earliestDeadline` it never has to sort: a slot of more than a tick that is not in order is looked at when it
    /// begins.
    package var nextLook: UInt64? {
        if state.pointee.count == 0 { return nil }
        if state.pointee.earliestIsExact { return state.pointee.earliest }
        let lowest = lowestLevel(of: rowsInUse)
        if let ahead = lowestLevel(of: rowsAhead), (lowest ?? .max) > ahead { return nextStart(above: ahead) }
        guard let level = lowest else { return nil }
        let row = rowInUse(level)
        let slot = occupied[row].trailingZeroBitCount
        if level == 0 || unsorted[row] & 1 &<< UInt64(slot) == 0 {
            findEarliest()
            return state.pointee.earliest
        }
        let shift = TimingWheel.shift(of: level)
        return ((state.pointee.elapsed &>> shift) & ~63 | UInt64(slot)) &<< shift
    }

    /// When the next slot of the level above begins.
    func nextStart(above level: Int) -> UInt64 {
        let shift = TimingWheel.shift(of: level &+ 1)
        return (state.pointee.elapsed &>> shift &+ 1) &<< shift
    }

    /// The slot of the level above begins whose entries are in the row ahead. Everything before was handed out, so the row in
    /// use is empty.
    func useRowAhead(_ level: Int, from start: UInt64) {
        var all = Int.max
        _ = moveDown(level &+ 1, TimingWheel.digit(level &+ 1, of: start), &all)
        state.pointee.elapsed = start
        state.pointee.secondRows ^= 1 &<< UInt64(level)
        // What is in the slot of the present time belongs to lower levels.
        let row = rowInUse(level)
        while occupied[row] & 1 != 0 {
            let entry = slots[row &<< TimingWheel.slotBits]
            unlink(entry)
            place(entry)
        }
    }

    /// Moves entries of a slot to the row below that is not in use. Returns whether all were.
    private func moveDown(_ level: Int, _ slot: Int, _ left: inout Int) -> Bool {
        let row = rowInUse(level)
        let below = TimingWheel.row(of: level &- 1, ~state.pointee.secondRows)
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

    /// By how many bits a time is longer than the numbers of a level's slots.
    private static func shift(of level: Int) -> UInt64 { UInt64(level &* slotBits) &+ tickBits }

    private static func digit(_ level: Int, of time: UInt64) -> Int {
        Int(truncatingIfNeeded: time &>> shift(of: level)) & 63
    }
}
