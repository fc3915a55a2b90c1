// SPDX-License-Identifier: Apache-2.0

/// A timer that a `TimingWheel` can hold: a node of the wheel's lists. Subclasses carry the work to be done.
///
/// `open` because Swift has no `package open`; the initializer keeps other packages out.
///
/// The wheel retains an entry from `insert` until `remove`, or until `expire` passes that reference to its batch. Every member is
/// protected by the lock that protects the wheel, save `nextDue`, which belongs to the batch.
open class TimerEntry {
    /// Neighbours in the circular list of the slot. Meaningful only while armed.
    @exclusivity(unchecked) @usableFromInline final var next: Unmanaged<TimerEntry>?
    @exclusivity(unchecked) @usableFromInline final var previous: Unmanaged<TimerEntry>?

    /// The entry after this one in the batch that `expire` filled. A link of its own, so that an entry can be armed again while
    /// the batch that holds it is still being processed.
    @exclusivity(unchecked) @usableFromInline final var nextDue: Unmanaged<TimerEntry>?

    /// `level * 64 + slot` while armed, otherwise negative.
    @exclusivity(unchecked) @usableFromInline final var shortPosition: Int32

    /// A number by which the owner of the wheel recognizes its own entries.
    @exclusivity(unchecked) private final var tag: UInt32 = 0

    @exclusivity(unchecked) @usableFromInline final var dueTime: UInt64

    /// Monotonic nanoseconds. Must not be changed while armed.
    @inlinable
    package final var deadline: UInt64 {
        get { dueTime }
        set {
            assert(!isArmed, "the deadline of an armed timer was changed")
            dueTime = newValue
        }
    }

    /// Sets the deadline, and a number that tells the owner of the wheel about the entry.
    // Here, and not inlined elsewhere: other modules check accesses to the fields dynamically.
    @inline(never)
    package final func prepare(deadline: UInt64, ownerTag: UInt32) {
        self.deadline = deadline
        tag = ownerTag
    }

    /// The number given by `prepare`.
    package final var ownerTag: UInt32 {
        @inline(never) get { tag }
    }

    /// True if a wheel holds this entry. False from the moment when `expire` moves it to a batch.
    @inlinable
    package final var isArmed: Bool { shortPosition >= 0 }

    @inlinable
    package init(deadline: UInt64 = .max) {
        shortPosition = -1
        dueTime = deadline
    }

    deinit { assert(!isArmed, "an armed timer was over-released") }
}

/// A reference to an entry that counts no references; the wheel and its batches do that where ownership changes.
@usableFromInline
typealias EntryLink = Unmanaged<TimerEntry>

/// Access to an entry's fields without a retain and release around each.
extension Unmanaged where Instance == TimerEntry {
    @inlinable var dueTime: UInt64 {
        @inline(__always) get { _withUnsafeGuaranteedRef { $0.dueTime } }
    }
    @inlinable var position: Int {
        @inline(__always) get { _withUnsafeGuaranteedRef { Int($0.shortPosition) } }
        @inline(__always) nonmutating set {
            _withUnsafeGuaranteedRef { $0.shortPosition = Int32(truncatingIfNeeded: newValue) }
        }
    }
    // Force unwrapping would cost a branch; an armed entry always has neighbours.
    @inlinable var next: EntryLink {
        @inline(__always) get { _withUnsafeGuaranteedRef { $0.next.unsafelyUnwrapped } }
        @inline(__always) nonmutating set { _withUnsafeGuaranteedRef { $0.next = newValue } }
    }
    @inlinable var previous: EntryLink {
        @inline(__always) get { _withUnsafeGuaranteedRef { $0.previous.unsafelyUnwrapped } }
        @inline(__always) nonmutating set { _withUnsafeGuaranteedRef { $0.previous = newValue } }
    }
    @inlinable var nextDue: EntryLink? {
        @inline(__always) get { _withUnsafeGuaranteedRef { $0.nextDue } }
        @inline(__always) nonmutating set { _withUnsafeGuaranteedRef { $0.nextDue = newValue } }
    }
    @inlinable @inline(__always)
    func isSame(as other: EntryLink) -> Bool { toOpaque() == other.toOpaque() }
}

/// Due timers in (deadline, order of arming), chained through the entries themselves: no allocation.
///
/// Taken out of the wheel under the lock, and processed outside it by one thread at a time. It owns a reference to each entry;
/// entries that are not popped are released with the batch.
@usableFromInline
package struct TimerBatch: ~Copyable {
    @usableFromInline var first: EntryLink?
    @usableFromInline var last: EntryLink?
    /// True if the timers have to be put into order before the first of them is taken.
    @usableFromInline package var isUnordered = false

    @inlinable
    package init() {}

    @inlinable
    package var isEmpty: Bool { first == nil }

    /// The deadline of the next due timer.
    @inlinable
    package mutating func firstDeadline() -> UInt64? {
        if isUnordered { putInOrder() }
        return first?.dueTime
    }

    /// Takes the next due timer, together with the reference to it.
    ///
    /// It may have been armed again since `expire` moved it here: the owner of the entry has to know whether an expiry is stale.
    @inlinable
    package mutating func popFirst() -> TimerEntry? {
        if isUnordered { putInOrder() }
        guard let entry = first else { return nil }
        first = entry.nextDue
        entry.nextDue = nil
        return entry.takeRetainedValue()
    }

    @usableFromInline @inline(never)
    mutating func putInOrder() {
        isUnordered = false
        guard let first else { return }
        let sorted = BatchOrder.sorted(first)
        self.first = sorted
        var tail = sorted
        while let next = tail.nextDue { tail = next }
        last = tail
    }

    /// Appends a chain that is linked by `nextDue` and ends in `tail`.
    @inlinable @inline(__always)
    mutating func append(_ head: EntryLink, through tail: EntryLink) {
        if first == nil { first = head } else { last.unsafelyUnwrapped.nextDue = head }
        last = tail
    }

    @inlinable
    deinit {
        var rest = first
        while let entry = rest {
            rest = entry.nextDue
            entry.nextDue = nil
            entry.release()
        }
    }
}
