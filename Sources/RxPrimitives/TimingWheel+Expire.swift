// Expiry, and the order within a slot. See TimingWheel.swift.

extension TimingWheel {
    /// Takes out every timer whose deadline is not after `now`, in (deadline, order of arming).
    ///
    /// Nothing is called and nothing released: work the batch off after unlocking. A `now` earlier than one before is
    /// harmless. Costs a few steps per entry handed out, and at most nine moves per entry between arming and expiry.
    package func expire(upTo now: UInt64) -> TimerBatch {
        var batch = TimerBatch()
        // The lowest level's begins first.
        while let level = lowestLevel(of: rowsAhead), case let start = nextStart(above: level), start <= now {
            expire(upTo: start &- 1, into: &batch)
            useRowAhead(level, from: start)
        }
        expire(upTo: now, into: &batch)
        if state.pointee.count == 0 {
            state.pointee.earliest = .max
            state.pointee.earliestIsExact = true
        } else if !batch.isEmpty {
            // What is left is due after `now`, which is therefore not `.max`.
            state.pointee.earliest = now &+ 1
            state.pointee.earliestIsExact = false
        }
        return batch
    }

    /// Without crossing into a slot that was being moved down ahead.
    private func expire(upTo now: UInt64, into batch: inout TimerBatch) {
        let from = state.pointee.elapsed
        let to = max(from, now)
        state.pointee.elapsed = to
        guard state.pointee.count != 0 else { return }

        // Below the highest digit that changes, everything belongs to a time gone by; on that digit's level, the slots
        // before the one that `to` falls into; above, nothing has changed.
        let tick = to &>> TimingWheel.tickBits
        let top = TimingWheel.highestDigit(tick ^ (from &>> TimingWheel.tickBits))
        let topSlot = Int(truncatingIfNeeded: tick &>> UInt64(top &* TimingWheel.slotBits)) & 63
        for level in 0...top {
            let row = rowInUse(level)
            let gone = level < top ? UInt64.max : (1 &<< UInt64(topSlot)) &- 1
            var due = occupied[row] & gone
            while due != 0 {
                take(row: row, slot: due.trailingZeroBitCount, into: &batch)
                due &= due &- 1
            }
        }
        let topRow = rowInUse(top)
        if occupied[topRow] & 1 &<< UInt64(topSlot) != 0 {
            split(row: topRow, slot: topSlot, upTo: now, into: &batch)
        }
    }

    /// The row of a level that is in use.
    @inline(__always)
    func rowInUse(_ level: Int) -> Int { TimingWheel.row(of: level, state.pointee.secondRows) }

    /// Releases every entry, due or not. Their deinits run inside.
    func removeAll() {
        _ = expire(upTo: .max)
    }

    /// Hands out a whole slot.
    private func take(row: Int, slot: Int, into batch: inout TimerBatch) {
        sortIfNeeded(row: row, slot: slot)
        let head = slots[row &<< TimingWheel.slotBits | slot]
        let tail = head.previous
        vacate(row: row, slot: slot)
        var entry = head
        while true {
            entry.position = -1
            state.pointee.count &-= 1
            if entry.isSame(as: tail) { break }
            entry.nextDue = entry.next
            entry = entry.next
        }
        tail.nextDue = nil
        batch.append(head, through: tail)
    }

    /// Hands out the due entries of the slot which the present time falls into, and places the others anew, in their
    /// order: those are sorted later, in the smaller slots they come to.
    private func split(row: Int, slot: Int, upTo now: UInt64, into batch: inout TimerBatch) {
        let isSorted = unsorted[row] & 1 &<< UInt64(slot) == 0
        let head = slots[row &<< TimingWheel.slotBits | slot]
        vacate(row: row, slot: slot)
        head.previous.openNext = nil
        var due: EntryLink?
        var lastDue: EntryLink?
        var cursor: EntryLink? = head
        while let entry = cursor {
            cursor = entry.openNext
            guard entry.dueTime <= now else {
                place(entry)
                continue
            }
            entry.position = -1
            entry.openNext = nil
            state.pointee.count &-= 1
            if let lastDue { lastDue.openNext = entry } else { due = entry }
            lastDue = entry
        }
        guard var rest = due else { return }
        if !isSorted { rest = TimingWheel.sorted(rest) }
        var entry = rest
        while let next = entry.openNext {
            entry.nextDue = next
            entry = next
        }
        entry.nextDue = nil
        batch.append(rest, through: entry)
    }

    @usableFromInline
    func findEarliest() {
        var earliest = UInt64.max
        let level = lowestLevel(of: rowsInUse)
        if let level { earliest = self.earliest(of: rowInUse(level)) }
        // What was moved down ahead is later than its own level and those below, and not later than the others.
        if let ahead = lowestLevel(of: rowsAhead), (level ?? .max) > ahead {
            earliest = min(earliest, self.earliest(of: TimingWheel.row(of: ahead, ~state.pointee.secondRows)))
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

    private func sortIfNeeded(row: Int, slot: Int) {
        let bit = 1 as UInt64 &<< UInt64(slot)
        guard unsorted[row] & bit != 0 else { return }
        unsorted[row] &= ~bit
        let position = row &<< TimingWheel.slotBits | slot
        let head = slots[position]
        head.previous.openNext = nil
        slots[position] = TimingWheel.closedCircle(TimingWheel.sorted(head))
    }

    /// Sorts a list that ends in nil by deadline; entries with the same deadline keep their order. Returns its new head.
    ///
    /// A natural merge sort: runs that ascend already are taken as they are. Of the pending runs, number n is the
    /// union of 2^n and older than those with smaller numbers, which is what keeps the sort stable.
    private static func sorted(_ head: EntryLink) -> EntryLink {
        // One pending run for each bit of the number of runs.
        withUnsafeTemporaryAllocation(of: EntryLink?.self, capacity: 64) { pending in
            pending.initialize(repeating: nil)
            var cursor: EntryLink? = head
            while let run = cursor {
                var end = run
                while let next = end.openNext, next.dueTime >= end.dueTime { end = next }
                cursor = end.openNext
                end.openNext = nil

                var merged = run
                var index = 0
                while let older = pending[index] {
                    merged = merge(older, merged)
                    pending[index] = nil
                    index += 1
                }
                pending[index] = merged
            }

            var result: EntryLink?
            for older in pending {
                guard let older else { continue }
                result = result.map { merge(older, $0) } ?? older
            }
            return result.unsafelyUnwrapped
        }
    }

    /// Merges two lists that end in nil; of equals, the older list's come first.
    private static func merge(_ older: EntryLink, _ newer: EntryLink) -> EntryLink {
        var left = older
        var right = newer
        let head: EntryLink
        var tail: EntryLink
        // Whichever runs out first leaves the other as the rest.
        if right.dueTime < left.dueTime {
            head = right
            guard let next = right.openNext else {
                right.openNext = left
                return head
            }
            right = next
        } else {
            head = left
            guard let next = left.openNext else {
                left.openNext = right
                return head
            }
            left = next
        }
        tail = head
        while true {
            if right.dueTime < left.dueTime {
                tail.openNext = right
                tail = right
                guard let next = right.openNext else {
                    tail.openNext = left
                    return head
                }
                right = next
            } else {
                tail.openNext = left
                tail = left
                guard let next = left.openNext else {
                    tail.openNext = right
                    return head
                }
                left = next
            }
        }
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

extension Unmanaged where Instance == TimerEntry {
    /// The link while a list is taken apart or sorted: nil at the end.
    fileprivate var openNext: EntryLink? {
        get { _withUnsafeGuaranteedRef { $0.next } }
        nonmutating set { _withUnsafeGuaranteedRef { $0.next = newValue } }
    }
}
