// SPDX-License-Identifier: Apache-2.0

/// The items that a loop has taken from a `WriteQueue` and not started, oldest first.
struct PendingWrites {
    private var items: [WriteQueue.Item] = []
    /// The index of the first item that was not removed.
    private var head = 0
    /// The number of bytes to write.
    private(set) var bytes = 0

    var first: WriteQueue.Item? { head < items.count ? items[head] : nil }

    mutating func append(_ added: [WriteQueue.Item]) {
        if head == items.count {
            items = added
            head = 0
        } else {
            items.append(contentsOf: added)
        }
        for item in added { bytes += item.count }
    }

    mutating func removeFirst() {
        bytes -= items[head].count
        head += 1
        if head == items.count {
            items = []
            head = 0
        }
    }

    mutating func removeAll() -> [WriteQueue.Item] {
        defer { self = PendingWrites() }
        return Array(items[head...])
    }
}
