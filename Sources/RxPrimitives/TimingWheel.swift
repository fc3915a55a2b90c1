// SPDX-License-Identifier: Apache-2.0

// Algorithm: a hierarchical timing wheel, scheme 7 of George Varghese and Tony Lauck, "Hashed and Hierarchical Timing
// Wheels" (SOSP 1987), with four changes. An entry's level is the highest base-64 digit in which its tick differs from
// the wheel's, so every entry on a level is earlier than every entry on the levels above, and the earliest is found with
// two bit scans. Time is not stepped: `expire` jumps, and moves down only the entries of the one slot that the new time
// falls into. Each slot remembers whether its list is sorted, so that the order within a tick is exact.
// Many timers that move down at once would delay those that are due then. So an idle owner can have the next slot of each level
// moved down ahead, piece by piece, into a second row of the level below, which is used when the time comes (see +Prepare).
//
// Progress: sequential code. Threads: one at a time; callers bring the lock. No user code runs inside any method but `deinit`,
// which releases the entries still armed.

/// Holds timers ordered by deadline: arming and cancelling in constant time and without allocation, exact to the nanosecond.
///
/// An entry expires at the first `expire(upTo:)` whose time is not before its deadline, never sooner; entries with equal
/// deadlines expire in the order of arming. A tick of 1,024 ns is internal.
///
/// The methods are not `mutating`, so that an owner can hold the wheel in a `let`, free of exclusivity checks.
@frozen
@usableFromInline
package struct TimingWheel: ~Copyable {
    @usableFromInline let state: UnsafeMutablePointer<State>

    /// Nine levels of 64 slots, at six bits each, and ten bits of tick: all 64 bits of a deadline.
    @inlinable static var levelCount: Int { 9 }
    @inlinable static var rowCount: Int { 18 }
    @inlinable static var tickBits: UInt64 { 10 }
    @inlinable static var slotBits: Int { 6 }

    @usableFromInline
    struct State {
        /// The latest time the wheel has been told: every entry is placed relative to it.
        @usableFromInline var elapsed: UInt64
        /// No entry is due before this; `.max` when empty.
        @usableFromInline var earliest: UInt64 = .max
        /// True if an entry has precisely the deadline `earliest` (or the wheel is empty).
        @usableFromInline var earliestIsExact = true
        @usableFromInline var count = 0
        /// Bit n: row n holds an entry.
        @usableFromInline var occupiedRows: UInt64 = 0
        /// Each level has two rows, one of them in use. Bit n: of level n it is the second. The other one holds the entries moved
        /// down ahead from the next slot of the level above.
        @usableFromInline var secondRows: UInt64 = 0

        @inlinable init(elapsed: UInt64) { self.elapsed = elapsed }
    }

    // Behind the state, in the same allocation: per row a bitmap of the occupied slots and one of those whose list is
    // not known to be sorted by deadline; then the slots, each the first entry of a circular list. A slot that is not
    // occupied is uninitialized, so a new wheel touches a few cache lines and not nine kilobytes.
    @inlinable var occupied: UnsafeMutablePointer<UInt64> {
        @inline(__always) get {
            (UnsafeMutableRawPointer(state) + MemoryLayout<State>.stride).assumingMemoryBound(to: UInt64.self)
        }
    }
    @inlinable var unsorted: UnsafeMutablePointer<UInt64> {
        @inline(__always) get { occupied + TimingWheel.rowCount }
    }
    @inlinable var slots: UnsafeMutablePointer<EntryLink> {
        @inline(__always) get {
            UnsafeMutableRawPointer(unsorted + TimingWheel.rowCount).assumingMemoryBound(to: EntryLink.self)
        }
    }

    /// - Parameter now: the current time in monotonic nanoseconds. A wheel that starts far from it is correct but slow.
    @inlinable
    package init(now: UInt64) {
        let rows = TimingWheel.rowCount
        let bytes = MemoryLayout<State>.stride + rows * 2 * 8 + (rows << TimingWheel.slotBits) * 8
        let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 8)
        state = memory.bindMemory(to: State.self, capacity: 1)
        state.initialize(to: State(elapsed: now))
        (memory + MemoryLayout<State>.stride).bindMemory(to: UInt64.self, capacity: 2 * rows)
            .initialize(repeating: 0, count: 2 * rows)
        (memory + MemoryLayout<State>.stride + rows * 2 * 8)
            .bindMemory(to: EntryLink.self, capacity: rows << TimingWheel.slotBits)
    }

    deinit {
        removeAll()
        UnsafeMutableRawPointer(state).deallocate()
    }

    /// The number of armed entries.
    @inlinable
    package var count: Int { state.pointee.count }

    /// Arms a timer for its `deadline` and retains it. The entry must not be armed.
    ///
    /// It may be in a batch that is still being processed, as long as it does not expire into a second one before it was popped
    /// from the first.
    ///
    /// - Parameter now: a recent reading of the clock, where the caller has one. It lets a wheel that stood idle catch up.
    @inlinable
    package func insert(_ entry: TimerEntry, now: UInt64 = 0) {
        insert(retained: .passRetained(entry), now: now)
    }

    /// Arms a timer by a reference that the wheel owns from here on.
    @inlinable
    package func insert(retained entry: Unmanaged<TimerEntry>, now: UInt64 = 0) {
        precondition(entry.position < 0, "a timer was armed twice")
        if state.pointee.count == 0, now > state.pointee.elapsed { state.pointee.elapsed = now }
        let deadline = entry.dueTime
        if deadline <= state.pointee.earliest {
            state.pointee.earliest = deadline
            state.pointee.earliestIsExact = true
        }
        state.pointee.count &+= 1
        place(entry)
    }

    /// Disarms a timer and releases it; harmless when it is not armed.
    ///
    /// Returns false if it was not armed: never, cancelled already, or expired already.
    @inlinable
    @discardableResult
    package func remove(_ entry: TimerEntry) -> Bool {
        let link = Unmanaged.passUnretained(entry)
        guard take(link) else { return false }
        // Not the last reference: the caller has one.
        link.release()
        return true
    }

    /// Disarms a timer and passes the wheel's reference to the caller. Returns false, and passes none, if it was not armed.
    @inlinable
    package func take(_ entry: Unmanaged<TimerEntry>) -> Bool {
        guard entry.position >= 0 else { return false }
        unlink(entry)
        state.pointee.count &-= 1
        if state.pointee.count == 0 {
            state.pointee.earliest = .max
            state.pointee.earliestIsExact = true
        } else if entry.dueTime == state.pointee.earliest {
            state.pointee.earliestIsExact = false
        }
        return true
    }

    /// The deadline of the entry that is due first, to the nanosecond; nil when nothing is armed.
    ///
    /// Constant time, unless the earliest entry left since: then the first occupied slot is brought into order, which
    /// is free when its entries were armed in the order of their deadlines, as equal delays are.
    @inlinable
    package var earliestDeadline: UInt64? {
        guard state.pointee.count != 0 else { return nil }
        if !state.pointee.earliestIsExact { findEarliest() }
        return state.pointee.earliest
    }

    /// Appends the entry to the slot of its deadline, which depends on the time elapsed. An overdue entry goes to the slot of the
    /// present tick.
    @inlinable @inline(__always)
    func place(_ entry: EntryLink) {
        let elapsed = state.pointee.elapsed
        let tick = max(entry.dueTime, elapsed) &>> TimingWheel.tickBits
        let level = TimingWheel.highestDigit(tick ^ (elapsed &>> TimingWheel.tickBits))
        let slot = Int(truncatingIfNeeded: tick &>> UInt64(level &* TimingWheel.slotBits)) & 63
        append(entry, row: TimingWheel.row(of: level, state.pointee.secondRows), slot: slot)
    }

    @inlinable @inline(__always)
    func append(_ entry: EntryLink, row: Int, slot: Int) {
        let position = row &<< TimingWheel.slotBits | slot
        let bit = 1 as UInt64 &<< UInt64(slot)
        entry.position = position
        if occupied[row] & bit == 0 {
            occupied[row] |= bit
            unsorted[row] &= ~bit
            state.pointee.occupiedRows |= 1 &<< UInt64(row)
            entry.next = entry
            entry.previous = entry
            slots[position] = entry
        } else {
            let head = slots[position]
            let tail = head.previous
            if tail.dueTime > entry.dueTime { unsorted[row] |= bit }
            tail.next = entry
            entry.previous = tail
            entry.next = head
            head.previous = entry
        }
    }

    @inlinable @inline(__always)
    func unlink(_ entry: EntryLink) {
        let position = entry.position
        entry.position = -1
        let next = entry.next
        if next.isSame(as: entry) {
            vacate(row: position &>> TimingWheel.slotBits, slot: position & 63)
        } else {
            let previous = entry.previous
            previous.next = next
            next.previous = previous
            if slots[position].isSame(as: entry) { slots[position] = next }
        }
    }

    @inlinable @inline(__always)
    func vacate(row: Int, slot: Int) {
        let rest = occupied[row] & ~(1 &<< UInt64(slot))
        occupied[row] = rest
        if rest == 0 { state.pointee.occupiedRows &= ~(1 &<< UInt64(row)) }
    }

    /// The row of a level that is in use, given a value of `secondRows`.
    @inlinable @inline(__always)
    static func row(of level: Int, _ secondRows: UInt64) -> Int {
        level &+ Int(truncatingIfNeeded: secondRows &>> UInt64(level) & 1) &* levelCount
    }

    /// The place of the highest base-64 digit that is not 0.
    @inlinable @inline(__always)
    static func highestDigit(_ difference: UInt64) -> Int {
        (63 &- (difference | 1).leadingZeroBitCount) / slotBits
    }
}
