// Moving large slots down ahead of time, and looking without sorting. See TimingWheel.swift.

extension TimingWheel {
    /// Slots of this level and above, of 268 ms and more, are worth moving down ahead.
    private static var lowestPrepared: Int { 3 }

    /// Moves entries of the next large slot to the places they will have when its time has come.
    ///
    /// When time crosses into a slot of a higher level, all its entries have to be moved down; with a hundred thousand of them the timers
    /// due then would wait for milliseconds. For an owner who has nothing else to do. It changes nothing but when the work is done.
    /// - Parameter limit: how many entries to move at most.
    /// - Returns: whether there are more.
    package func prepare(atMost limit: Int) -> Bool {
        if state.pointee.count == 0 { return false }
        if state.pointee.preparedLevel == 0 { choosePrepared() }
        if state.pointee.preparedLevel == 0 { return false }
        let row = rowInUse(state.pointee.preparedLevel)
        let slot = preparedSlot
        let start = state.pointee.preparedStart
        let rows = ~state.pointee.secondRows
        for _ in 0..<limit {
            if occupied[row] & 1 &<< UInt64(slot) == 0 { return false }
            // The oldest first: entries with the same deadline keep their order, also with those that come later.
            let entry = slots[row &<< TimingWheel.slotBits | slot]
            unlink(entry)
            place(entry, at: start, secondRows: rows)
        }
        return occupied[row] & 1 &<< UInt64(slot) != 0
    }

    /// A time to call `expire` at next: not after the earliest deadline, and soon before it. Nil when nothing is armed.
    ///
    /// Unlike `earliestDeadline` it never has to sort: a slot of more than a tick that is not in order is looked at when it begins.
    package var nextLook: UInt64? {
        if state.pointee.count == 0 { return nil }
        if state.pointee.earliestIsExact { return state.pointee.earliest }
        guard let level = lowestLevel(of: rowsInUse) else { return state.pointee.preparedStart }
        if rowsAhead != 0, level >= state.pointee.preparedLevel { return state.pointee.preparedStart }
        let row = rowInUse(level)
        let slot = occupied[row].trailingZeroBitCount
        if level == 0 || unsorted[row] & 1 &<< UInt64(slot) == 0 {
            findEarliest()
            return state.pointee.earliest
        }
        let shift = UInt64(level &* TimingWheel.slotBits) &+ TimingWheel.tickBits
        let above = (state.pointee.elapsed &>> shift) & ~63
        return (above | UInt64(slot)) &<< shift
    }

    /// The slot that begins at the next boundary between large slots.
    private func choosePrepared() {
        let bits = UInt64(TimingWheel.lowestPrepared &* TimingWheel.slotBits)
        let tick = state.pointee.elapsed &>> TimingWheel.tickBits
        let start = (tick &>> bits &+ 1) &<< bits
        // There is none at the end of time.
        if start &>> (64 &- TimingWheel.tickBits) != 0 { return }
        state.pointee.preparedLevel = TimingWheel.highestDigit(tick ^ start)
        state.pointee.preparedStart = start &<< TimingWheel.tickBits
    }

    private var preparedSlot: Int {
        let tick = state.pointee.preparedStart &>> TimingWheel.tickBits
        return Int(truncatingIfNeeded: tick &>> UInt64(state.pointee.preparedLevel &* TimingWheel.slotBits)) & 63
    }

    /// The prepared slot begins. Everything before was handed out, so the rows in use below its level are empty.
    func usePrepared() {
        let level = state.pointee.preparedLevel
        while prepare(atMost: .max) {}
        state.pointee.elapsed = state.pointee.preparedStart
        state.pointee.secondRows ^= 1 &<< UInt64(level) &- 1
        state.pointee.preparedLevel = 0
        state.pointee.preparedStart = .max
    }
}
