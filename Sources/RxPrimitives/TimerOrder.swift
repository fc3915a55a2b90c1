// SPDX-License-Identifier: Apache-2.0

// Puts chained timers into order, by either of the links that may chain them.

/// Timers that are chained by one of their links; the last one's is nil.
protocol TimerChain {
    static func next(_ entry: EntryLink) -> EntryLink?
    static func link(_ entry: EntryLink, _ next: EntryLink?)
}

/// The timers of a slot whose circle was opened. Used under the lock of the wheel.
enum SlotOrder: TimerChain {
    static func next(_ entry: EntryLink) -> EntryLink? { entry.openNext }
    static func link(_ entry: EntryLink, _ next: EntryLink?) { entry.openNext = next }
}

/// The timers of a batch, used by the owner of the batch.
enum BatchOrder: TimerChain {
    static func next(_ entry: EntryLink) -> EntryLink? { entry.nextDue }
    static func link(_ entry: EntryLink, _ next: EntryLink?) { entry.nextDue = next }
}

extension TimerChain {
    /// Sorts a list that ends in nil by deadline; entries with the same deadline keep their order. Returns its new head.
    ///
    /// A natural merge sort: runs that ascend already are taken as they are. Of the pending runs, number n is the
    /// union of 2^n and older than those with smaller numbers, which is what keeps the sort stable.
    static func sorted(_ head: EntryLink) -> EntryLink {
        // One pending run for each bit of the number of runs.
        withUnsafeTemporaryAllocation(of: EntryLink?.self, capacity: 64) { pending in
            pending.initialize(repeating: nil)
            var cursor: EntryLink? = head
            while let run = cursor {
                var end = run
                while let next = next(end), next.dueTime >= end.dueTime { end = next }
                cursor = next(end)
                link(end, nil)

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
        // When one list runs out, the other one is the rest.
        if right.dueTime < left.dueTime {
            head = right
            guard let next = next(right) else {
                link(right, left)
                return head
            }
            right = next
        } else {
            head = left
            guard let next = next(left) else {
                link(left, right)
                return head
            }
            left = next
        }
        tail = head
        while true {
            if right.dueTime < left.dueTime {
                link(tail, right)
                tail = right
                guard let next = next(right) else {
                    link(tail, left)
                    return head
                }
                right = next
            } else {
                link(tail, left)
                tail = left
                guard let next = next(left) else {
                    link(tail, right)
                    return head
                }
                left = next
            }
        }
    }
}

extension Unmanaged where Instance == TimerEntry {
    /// The link while a list is taken apart or sorted: nil at the end.
    var openNext: EntryLink? {
        get { _withUnsafeGuaranteedRef { $0.next } }
        nonmutating set { _withUnsafeGuaranteedRef { $0.next = newValue } }
    }
}
