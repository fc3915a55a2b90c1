// SPDX-License-Identifier: Apache-2.0

/// Actions in order of their time, those of one time in order of addition; for one thread.
///
/// A binary heap. It is a class whose array is not being accessed while times are compared, since the comparison is user code.
package final class ActionHeap<Time> {
    package struct Entry {
        package let time: Time
        let number: Int
        package let action: ScheduledAction
    }

    private let isEarlier: (Time, Time) -> Bool
    private var heap: [Entry] = []
    private var nextNumber = 0
    /// The number of entries at which those that were disposed of are dropped: a clock that stands still comes to none of them.
    private var sweepCount = leastSweepCount
    private static var leastSweepCount: Int { 64 }

    package init(isEarlier: @escaping (Time, Time) -> Bool) {
        self.isEarlier = isEarlier
    }

    /// The entry that is due first. Drops entries that were disposed of.
    package var next: Entry? {
        while let first = heap.first {
            if !first.action.isDisposed { return first }
            removeNext()
        }
        return nil
    }

    /// The times when the waiting actions are due, earliest first.
    package var times: [Time] {
        heap.filter { !$0.action.isDisposed }.sorted(by: precedes).map { $0.time }
    }

    package func add(_ action: ScheduledAction, at time: Time) {
        if heap.count >= sweepCount { sweep() }
        heap.append(Entry(time: time, number: nextNumber, action: action))
        nextNumber += 1
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            if !precedes(heap[child], heap[parent]) { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Drops the entries that were disposed of. Once per doubling of the rest, so that an addition costs O(log n) on average.
    private func sweep() {
        let all = heap
        // In order of time, as a heap may be.
        heap = all.filter { !$0.action.isDisposed }.sorted(by: precedes)
        sweepCount = max(ActionHeap.leastSweepCount, 2 * heap.count)
        // The dropped entries are released when this returns.
        withExtendedLifetime(all) {}
    }

    /// Removes the entry that `next` returned.
    package func removeNext() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        // The removed entry is released when this returns, after the heap was put in order.
        let removed = heap[0]
        heap[0] = last
        var parent = 0
        while true {
            var child = 2 * parent + 1
            if child >= heap.count { break }
            if child + 1 < heap.count, precedes(heap[child + 1], heap[child]) { child += 1 }
            if !precedes(heap[child], heap[parent]) { break }
            heap.swapAt(child, parent)
            parent = child
        }
        withExtendedLifetime(removed) {}
    }

    private func precedes(_ lhs: Entry, _ rhs: Entry) -> Bool {
        if isEarlier(lhs.time, rhs.time) { return true }
        return lhs.number < rhs.number && !isEarlier(rhs.time, lhs.time)
    }
}
