// SPDX-License-Identifier: Apache-2.0

// Expiry, and the order within a slot. See TimingWheel.swift.

extension TimingWheel {
    /// Takes out every timer whose deadline is not after `now`, in (deadline, order of arming).
    ///
    /// Calls nothing and releases nothing: process the batch after unlocking. A `now` earlier than one before is harmless. Costs
    /// a few steps per expired entry, and at most nine moves per entry between arming and expiry: without a bound, so not for an
    /// owner under a lock.
    package func expire(upTo now: UInt64) -> TimerBatch {
        var batch = TimerBatch()
        _ = expire(upTo: now, into: &batch, atMost: .max)
        return batch
    }

    /// Appends a piece of the timers whose deadline is not after `now` to `batch`.
    ///
    /// For an owner under a lock, which releases it between the pieces; timers may be armed and disarmed then. When more than
    /// `limit` timers are due in one tick, in another order than they were armed in, they are moved to the batch once the tick is
    /// over, and the batch puts them into order later, outside the lock: pop nothing from it before all pieces were taken.
    /// - Parameter limit: the number of entries to expire or to move at most.
    /// - Returns: whether this was the last piece.
    package func expire(upTo now: UInt64, into batch: inout TimerBatch, atMost limit: Int) -> Bool {
        let to = max(state.pointee.elapsed, now)
        var left = limit
        while state.pointee.count != 0 {
            let start: UInt64
            let lowest = lowestLevel(of: rowsInUse)
            if let ahead = lowestLevel(of: rowsAhead), (lowest ?? .max) > ahead {
                start = nextStart(above: ahead)
                if start > to { break }
            } else {
                let level = lowest.unsafelyUnwrapped
                let row = rowInUse(level)
                let slot = occupied[row].trailingZeroBitCount
                start = self.start(of: slot, level)
                if start > to { break }
                let isOver = start | 1_023 < to || to == .max
                switch takeDue(row, slot, upTo: now, into: &batch, isOver: isOver, limit, &left) {
                case .all: continue
                case .limit: return false
                case .rest where level != 0: break
                case .rest:
                    noteNoneDue(until: now, to)
                    return true
                case .unordered:
                    // Some are due: `earliest` stays where it is.
                    state.pointee.elapsed = to
                    return true
                }
            }
            // No armed entry is due before.
            state.pointee.elapsed = max(state.pointee.elapsed, start &- 1)
            if !begin(start, &left) { return false }
        }
        noteNoneDue(until: now, to)
        return true
    }

    private func noteNoneDue(until time: UInt64, _ elapsed: UInt64) {
        state.pointee.elapsed = elapsed
        if state.pointee.count == 0 {
            state.pointee.earliest = .max
            state.pointee.earliestIsExact = true
        } else if state.pointee.earliest <= time {
            // The remaining entries are due after `time`, which is therefore not `.max`.
            state.pointee.earliest = time &+ 1
            state.pointee.earliestIsExact = false
        }
    }

    private enum TakeOutcome {
        /// The slot is vacant.
        case all
        /// None of the entries left in the slot is due.
        case rest
        /// A tick which is not over holds more entries than the limit, in no order.
        case unordered
        case limit
    }

    /// Moves due entries of the first occupied slot to the batch.
    private func takeDue(
        _ row: Int, _ slot: Int, upTo now: UInt64, into batch: inout TimerBatch, isOver: Bool, _ limit: Int,
        _ left: inout Int
    ) -> TakeOutcome {
        let isFirstLevel = row % TimingWheel.levelCount == 0
        let bit = 1 as UInt64 &<< UInt64(slot)
        let position = row &<< TimingWheel.slotBits | slot
        if unsorted[row] & bit != 0 {
            // Slots of higher levels are put into order by moving their entries down.
            if !isFirstLevel { return .rest }
            if isShort(slots[position], limit) {
                sortIfNeeded(row: row, slot: slot)
            } else if isOver {
                batch.isUnordered = true
            } else {
                return .unordered
            }
        }
        while occupied[row] & bit != 0 {
            let entry = slots[position]
            if entry.dueTime > now { return .rest }
            if left == 0 { return .limit }
            left &-= 1
            unlink(entry)
            state.pointee.count &-= 1
            state.pointee.earliestIsExact = false
            entry.nextDue = nil
            batch.append(entry, through: entry)
        }
        return .all
    }

    /// True if a slot holds at most `limit` entries.
    func isShort(_ head: EntryLink, _ limit: Int) -> Bool {
        var entry = head
        for _ in 0..<limit {
            entry = entry.next
            if entry.isSame(as: head) { return true }
        }
        return false
    }

    /// The row of a level that is in use.
    @inline(__always)
    func rowInUse(_ level: Int) -> Int { TimingWheel.row(of: level, state.pointee.secondRows) }

    /// The other row of a level, which holds the entries moved down ahead.
    @inline(__always)
    func rowAhead(_ level: Int) -> Int { TimingWheel.row(of: level, ~state.pointee.secondRows) }

    /// Releases every entry, due or not. Their deinits run inside.
    func removeAll() {
        _ = expire(upTo: .max)
    }

    @usableFromInline
    func findEarliest() {
        var earliest = UInt64.max
        let level = lowestLevel(of: rowsInUse)
        if let level { earliest = self.earliest(of: rowInUse(level)) }
        // Entries moved down ahead are later than their own level and those below. Between two pieces of moving a slot down,
        // several levels hold some of them.
        var ahead = rowsAhead
        while ahead != 0, case let next = ahead.trailingZeroBitCount, next < (level ?? .max) {
            earliest = min(earliest, self.earliest(of: rowAhead(next)))
            ahead &= ahead &- 1
        }
        state.pointee.earliest = earliest
        state.pointee.earliestIsExact = true
    }

    /// The earliest deadline of a row that is occupied.
    private func earliest(of row: Int) -> UInt64 {
        let slot = occupied[row].trailingZeroBitCount
        sortIfNeeded(row: row, slot: slot)
        return slots[row &<< TimingWheel.slotBits | slot].dueTime
    }

    /// Bit n: the row of level n that is in use holds an entry.
    var rowsInUse: UInt64 {
        let (rows, second) = (state.pointee.occupiedRows, state.pointee.secondRows)
        return (rows & ~second | rows &>> UInt64(TimingWheel.levelCount) & second) & TimingWheel.allLevels
    }

    /// Bit n: the row of level n that is not in use holds an entry, which was moved down ahead.
    var rowsAhead: UInt64 {
        let (rows, second) = (state.pointee.occupiedRows, state.pointee.secondRows)
        return (rows & second | rows &>> UInt64(TimingWheel.levelCount) & ~second) & TimingWheel.allLevels
    }

    private static var allLevels: UInt64 { 1 &<< UInt64(levelCount) &- 1 }

    func lowestLevel(of levels: UInt64) -> Int? { levels == 0 ? nil : levels.trailingZeroBitCount }

    func sortIfNeeded(row: Int, slot: Int) {
        let bit = 1 as UInt64 &<< UInt64(slot)
        guard unsorted[row] & bit != 0 else { return }
        unsorted[row] &= ~bit
        let position = row &<< TimingWheel.slotBits | slot
        let head = slots[position]
        head.previous.openNext = nil
        slots[position] = TimingWheel.closedCircle(SlotOrder.sorted(head))
    }

    private static func closedCircle(_ head: EntryLink) -> EntryLink {
        var entry = head
        while let next = entry.openNext {
            next.previous = entry
            entry = next
        }
        entry.openNext = head
        head.previous = entry
        return head
    }
}
