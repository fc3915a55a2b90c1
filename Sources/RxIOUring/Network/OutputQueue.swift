// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The bytes that wait to be sent on a connection, oldest first; used by one thread at a time.
///
/// Small pieces after the first item are copied into slabs, so that many of them cost little more memory than their bytes.
struct OutputQueue {
    struct Item {
        fileprivate(set) var bytes: ByteChunk
        /// The object to be told when the bytes were sent, or will not be.
        let waiter: (any WriteWaiter)?
        /// 0 if the item is so small that it may become a part of another one, else 1, or 4 with a waiter, which takes more memory. Counted by
        /// `OutputLoad`.
        let count: Int

        init(bytes: ByteChunk, waiter: (any WriteWaiter)?) {
            self.bytes = bytes
            self.waiter = waiter
            count = waiter != nil ? OutputWatermarks.itemsWithWaiter : bytes.count <= ByteStorage.smallPiece ? 0 : 1
        }

        /// The addend of the item to an `OutputLoad`.
        var load: UInt { OutputLoad.addend(bytes: bytes.count, items: count) }

        /// Gives the item memory of its own, unless it will be copied into a slab.
        mutating func pack() {
            if count > 0, bytes.keepsMuchMore { bytes = bytes.compact }
        }
    }

    /// The first item, which most often is the only one; nil if there is none.
    private var first: Item?
    /// The items behind it. Before `head`, where an item was taken out, nil.
    private var rest: [Item?] = []
    private var head = 0
    /// The number of bytes of the first item that were sent.
    private var sent = 0
    /// The number of bytes left to send.
    private(set) var bytes = 0

    /// The sum of the counts of the items left.
    private(set) var count = 0
    /// The memory of the last item, if small pieces can follow in it.
    private var slab: ByteStorage?

    /// The items left, in order.
    var remaining: [Item] {
        guard let first else { return [] }
        return [first] + rest[head...].compactMap { $0 }
    }

    var isEmpty: Bool { first == nil }

    /// The most that is sent with one system call.
    static let maxItems = 64
    static let maxBytes = 256 * 1024

    mutating func append(_ item: consuming Item) {
        bytes += item.bytes.count
        count += item.count
        if isEmpty {
            first = consume item
        } else if item.count == 0 {
            appendCopy(of: item)
        } else {
            slab = nil
            rest.append(consume item)
        }
    }

    /// Appends a small piece to the slab that is the last item, or as the first piece of a new slab.
    ///
    /// The kernel may be reading the bytes in front of it.
    private mutating func appendCopy(of item: Item) {
        let used = slab == nil ? 0 : lastBytes.count
        guard let slab, used + item.bytes.count <= slab.capacity else { return beginSlab(with: item) }
        item.bytes.withUnsafeBytes { (slab.address + used).copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        lastBytes = ByteChunk(slab, count: used + item.bytes.count)
    }

    private mutating func beginSlab(with item: Item) {
        let slab = ByteStorage.slab(after: slab)
        item.bytes.withUnsafeBytes { slab.address.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        var copy = item
        copy.bytes = ByteChunk(slab, count: item.bytes.count)
        rest.append(copy)
        self.slab = slab
    }

    /// The bytes of the last item; there must be one.
    private var lastBytes: ByteChunk {
        get { rest.isEmpty ? first!.bytes : rest[rest.count - 1]!.bytes }
        set { if rest.isEmpty { first!.bytes = newValue } else { rest[rest.count - 1]!.bytes = newValue } }
    }

    /// Removes bytes that were sent, and returns the waiters of the completed items.
    ///
    /// Items without bytes are removed together with the item before them, `maxItems` of them at most.
    mutating func remove(_ count: Int) -> [any WriteWaiter] {
        var waiters: [any WriteWaiter] = []
        sent += count
        bytes -= count
        while let size = first?.bytes.count {
            // The rest of many waiters without bytes is for the next call.
            if sent < size || sent == 0 && size == 0 && waiters.count >= OutputQueue.maxItems { break }
            sent -= size
            self.count -= first!.count
            if let waiter = first!.waiter { waiters.append(waiter) }
            removeFirst()
        }
        if isEmpty { slab = nil }
        return waiters
    }

    private mutating func removeFirst() {
        guard head < rest.count else {
            first = nil
            return
        }
        first = rest[head].take()
        head += 1
        if head == rest.count {
            head = 0
            // An idle connection keeps little memory for its queue. What is taken off one by one costs less than `removeAll`.
            if rest.capacity > OutputQueue.maxItems { rest = [] }
            while !rest.isEmpty { rest.removeLast() }
        } else if head >= 1_024, head * 2 >= rest.count {
            rest.removeFirst(head)
            head = 0
        }
    }

    /// Removes everything, and returns the waiters of all items.
    mutating func removeAll() -> [any WriteWaiter] {
        let waiters = remaining.compactMap(\.waiter)
        self = OutputQueue()
        return waiters
    }

    /// The bytes to be sent next, if they are in one piece: those of the only item, or of an item that is large enough.
    var single: UnsafeRawBufferPointer? {
        guard let size = first?.bytes.count else { return nil }
        guard rest.isEmpty || size - sent >= OutputQueue.maxBytes else { return nil }
        // The item holds the memory until `remove`.
        return first?.bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[sent...]) }
    }

    /// Fills `vectors` with the bytes to be sent next. Returns the number of vectors and of bytes.
    func gather(_ vectors: UnsafeMutablePointer<iovec>) -> (count: Int, bytes: Int) {
        var count = 0
        var total = 0
        var skip = sent
        var place = head
        var next = first
        while let item = next, count < OutputQueue.maxItems, total < OutputQueue.maxBytes {
            if item.bytes.count > skip {
                // The item holds the memory until `remove`.
                item.bytes.withUnsafeBytes {
                    vectors[count] = iovec(
                        iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress! + skip), iov_len: $0.count - skip)
                }
                total += item.bytes.count - skip
                count += 1
            }
            skip = 0
            next = place < rest.count ? rest[place] : nil
            place += 1
        }
        return (count, total)
    }
}
