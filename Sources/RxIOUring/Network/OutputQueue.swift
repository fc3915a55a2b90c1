import Glibc

/// The bytes that wait to be sent on a connection, oldest first; used by one thread.
struct OutputQueue {
    struct Item {
        var bytes: ByteChunk
        /// The object to be told when the bytes were sent, or will not be.
        var waiter: (any WriteWaiter)?
    }

    /// The items; nil before `head`, where an item was taken out.
    private var items: [Item?] = []
    private var head = 0
    /// The number of bytes of the first item that were sent.
    private var sent = 0
    /// The number of bytes left to send.
    private(set) var bytes = 0

    /// The number of items left.
    var count: Int { items.count - head }

    var isEmpty: Bool { head == items.count }

    /// The most that is sent with one system call.
    static let mostItems = 64
    static let mostBytes = 256 * 1024

    mutating func append(_ item: Item) {
        items.append(item)
        bytes += item.bytes.count
    }

    /// Removes bytes that were sent, and returns the waiters of the completed items.
    ///
    /// Items without bytes are removed together with the item before them.
    mutating func remove(_ count: Int) -> [any WriteWaiter] {
        var waiters: [any WriteWaiter] = []
        sent += count
        bytes -= count
        while head < items.count, let item = items[head], sent >= item.bytes.count {
            sent -= item.bytes.count
            if let waiter = item.waiter { waiters.append(waiter) }
            items[head] = nil
            head += 1
        }
        if head == items.count {
            head = 0
            // An idle connection keeps little memory for its queue.
            items.removeAll(keepingCapacity: items.capacity <= OutputQueue.mostItems)
        } else if head >= 1_024, head * 2 >= items.count {
            items.removeFirst(head)
            head = 0
        }
        return waiters
    }

    /// Removes everything, and returns the waiters of all items.
    mutating func removeAll() -> [any WriteWaiter] {
        let waiters = items[head...].compactMap { $0?.waiter }
        self = OutputQueue()
        return waiters
    }

    /// The bytes to be sent next, if they are in one piece: those of the only item, or of an item that is large enough.
    var single: UnsafeRawBufferPointer? {
        guard let item = items[head] else { return nil }
        let bytes = item.bytes.count - sent
        guard head + 1 == items.count || bytes >= OutputQueue.mostBytes else { return nil }
        // The item holds the memory until `remove`.
        return item.bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[sent...]) }
    }

    /// Fills `vectors` with the bytes to be sent next. Returns the number of vectors and of bytes.
    func gather(_ vectors: UnsafeMutablePointer<iovec>) -> (count: Int, bytes: Int) {
        var count = 0
        var total = 0
        var skip = sent
        var place = head
        while place < items.count, count < OutputQueue.mostItems, total < OutputQueue.mostBytes {
            if let item = items[place], item.bytes.count > skip {
                // The item holds the memory until `remove`.
                item.bytes.withUnsafeBytes {
                    vectors[count] = iovec(
                        iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress! + skip), iov_len: $0.count - skip)
                }
                total += item.bytes.count - skip
                count += 1
            }
            skip = 0
            place += 1
        }
        return (count, total)
    }
}

/// An object that is told, on the loop thread, whether its bytes were sent.
protocol WriteWaiter: AnyObject {
    /// - Parameter error: nil if the kernel has taken them.
    func writeEnded(_ error: IOError?)
}
