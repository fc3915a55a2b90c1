import Glibc

/// What waits to be sent on a connection, oldest first. For one thread.
struct OutputQueue {
    struct Item {
        var bytes: ByteChunk
        /// Is told when the bytes were sent, or will not be.
        var waiter: (any WriteWaiter)?
    }

    /// Nil where an item was taken out: before `head`.
    private var items: [Item?] = []
    private var head = 0
    /// How many bytes of the first item were sent.
    private var sent = 0
    /// How many bytes are left.
    private(set) var bytes = 0

    var isEmpty: Bool { head == items.count }

    /// What is sent with one system call, at most.
    static let mostItems = 64
    static let mostBytes = 256 * 1024

    mutating func append(_ item: Item) {
        items.append(item)
        bytes += item.bytes.count
    }

    /// Takes off what was sent, and returns who waits for it. Items without bytes go with what is before them.
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
            // An idle connection keeps little.
            items.removeAll(keepingCapacity: items.capacity <= OutputQueue.mostItems)
        } else if head >= 1_024, head * 2 >= items.count {
            items.removeFirst(head)
            head = 0
        }
        return waiters
    }

    /// Takes off everything, and returns who waits for it.
    mutating func removeAll() -> [any WriteWaiter] {
        let waiters = items[head...].compactMap { $0?.waiter }
        self = OutputQueue()
        return waiters
    }

    /// The bytes to be sent next, if they are in one piece: of the only item, or of one that is large enough.
    var single: UnsafeRawBufferPointer? {
        guard let item = items[head] else { return nil }
        let bytes = item.bytes.count - sent
        guard head + 1 == items.count || bytes >= OutputQueue.mostBytes else { return nil }
        // The item holds the memory until `remove`.
        return item.bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[sent...]) }
    }

    /// Fills `vectors` with what is to be sent next. Returns how many there are and how many bytes.
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

/// Who wants to know what became of bytes. On the loop.
protocol WriteWaiter: AnyObject {
    /// - Parameter error: nil if the kernel has taken them.
    func writeEnded(_ error: IOError?)
}
