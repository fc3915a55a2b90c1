// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives
import RxSwift

/// The writes accepted for a file, on their way from any thread to its loop.
///
/// The loop takes everything that was added, or asks to be told when more was added than it has an operation for.
final class WriteQueue: @unchecked Sendable {
    /// One accepted piece of work, in the order of acceptance.
    struct Item {
        enum Work {
            /// Writes behind the last byte of the file, or at an offset. Without bytes it only waits for the writes before it.
            case write(ByteChunk, offset: Int64?)
            /// Puts everything written before on the disk.
            case synchronize
        }

        private(set) var work: Work
        /// The object to be told of the outcome.
        let waiter: (any WriteWaiter)?

        /// True if the item can be written together with its neighbours.
        var isGathered: Bool {
            if case .write(let bytes, nil) = work { !bytes.isEmpty } else { false }
        }

        /// The number of bytes to write.
        var count: Int {
            if case .write(let bytes, _) = work { bytes.count } else { 0 }
        }

        /// Gives the bytes memory of their own, if they are a slice of far more.
        mutating func pack(_ packer: inout ChunkPacker) {
            if case .write(let bytes, let offset) = work, bytes.keepsMuchMore {
                work = .write(packer.pack(bytes), offset: offset)
            }
        }

        /// The number of items as which it counts.
        var items: Int { WriteQueue.Item.items(with: waiter) }

        static func items(with waiter: (any WriteWaiter)?) -> Int {
            waiter == nil ? 1 : OutputWatermarks.itemsWithWaiter
        }
    }

    /// The consequences of an `add`.
    struct AddResult {
        /// The error with which the item is rejected.
        var rejection: IOError?
        /// True if the caller has to tell the loop.
        var tellsLoop = false
        /// True if the item has filled the queue, and an observer wants to know that.
        var hasFilled = false
        /// The number of bytes that waited before and wait now.
        var bytes = (before: 0, after: 0)
    }

    /// The number of bytes that may wait, as the owner counts it.
    let limit: Int
    let watermarks: OutputWatermarks
    private let path: String
    /// The greatest amount at which sources pause: what a disk takes while a loop with other work gets back to it.
    private static let mostWaiting = 8 << 20
    /// The sources that wait until the queue has emptied.
    let sources = InputSources()

    private let lock = Mutex()
    /// The added items, oldest first (under the lock).
    @exclusivity(unchecked) private var added: [Item] = []
    /// The bytes of these items (under the lock).
    @exclusivity(unchecked) private var addedBytes = 0
    /// The memory of small slices among them (under the lock).
    @exclusivity(unchecked) private var packer = ChunkPacker()
    /// Bytes that were added and neither written nor dropped (under the lock).
    @exclusivity(unchecked) private var bytes = 0
    /// The number of items of these bytes (under the lock).
    @exclusivity(unchecked) private var items = 0
    /// True if a source waits (under the lock).
    @exclusivity(unchecked) private var isAwaited = false
    /// The number of added bytes at which the loop wants to be told; nil if it will look by itself (under the lock).
    @exclusivity(unchecked) private var noticeThreshold: Int? = 0
    /// The error with which items are rejected, from the time it is set (under the lock).
    @exclusivity(unchecked) private var rejection: IOError?
    /// True if an observer wants to know when the queue becomes full (under the lock).
    @exclusivity(unchecked) private var isObserved = false

    /// - Parameters:
    ///   - path: the subject of errors.
    ///   - limit: the number of waiting bytes beyond which limited items are rejected.
    init(path: String, limit: Int) {
        self.path = path
        self.limit = limit
        watermarks = OutputWatermarks(limit: limit, most: WriteQueue.mostWaiting)
    }

    // MARK: On any thread

    /// Adds an item behind all others, or rejects one that finds others waiting and does not fit beside them.
    func add(_ item: Item, beyondLimit tolerance: OutputTolerance) -> AddResult {
        let count = item.count
        return lock.withLock {
            if let rejection { return AddResult(rejection: rejection) }
            let before = (bytes: bytes, weight: weight)
            // An item without bytes has to fit beside the memory of other items only, so that a queue full of bytes can still be synchronized.
            let (used, needed) = count > 0 ? (weight, count) : (weight - bytes, OutputWatermarks.itemOverhead)
            if used > 0, used + needed > tolerance.most(limit) {
                return AddResult(rejection: overflow)
            }
            added.append(item)
            added[added.count - 1].pack(&packer)
            addedBytes += count
            bytes += count
            items += item.items
            let tellsLoop = noticeThreshold.map { addedBytes >= $0 } ?? false
            if tellsLoop { noticeThreshold = nil }
            let hasFilled = isObserved && before.weight < watermarks.high && weight >= watermarks.high
            return AddResult(tellsLoop: tellsLoop, hasFilled: hasFilled, bytes: (before.bytes, bytes))
        }
    }

    /// Under the lock.
    private var overflow: IOError {
        IOError(
            code: ENOBUFS, operation: "write",
            subject: "\(path) (\(bytes) bytes wait, which take \(weight); the limit is \(limit))")
    }

    /// The number of bytes that were accepted and not written. Out of date as soon as it is read.
    var queuedBytes: Int { lock.withLock { bytes } }

    /// Tells whether a source has to pause; called in its context. If so, it is resumed later.
    func isFull(_ source: any PausableSource) -> Bool {
        if !lock.withLock({ mustPause }) { return false }
        // The source is in the list before the queue says that it waits: the thread that resumes finds it.
        sources.add(source)
        return lock.withLock {
            if !mustPause { return false }
            isAwaited = true
            return true
        }
    }

    /// True if sources have to pause (under the lock).
    private var mustPause: Bool { rejection == nil && watermarks.mustPause(weight, isAwaited: isAwaited) }

    /// The memory that waits, in bytes (under the lock).
    private var weight: Int { bytes + items * OutputWatermarks.itemOverhead }

    // MARK: On the loop

    /// Takes the added items, oldest first. The loop is not told of others until it calls `requestNotice`.
    func takeAdded() -> [Item] {
        lock.withLock {
            let taken = added
            added = []
            packer.reset()
            addedBytes = 0
            noticeThreshold = nil
            return taken
        }
    }

    /// Has the loop told when so many bytes were added, or at the next item if the number is 0.
    ///
    /// - Returns: false if that is so already: the loop has to look again.
    func requestNotice(at threshold: Int) -> Bool {
        lock.withLock {
            if !added.isEmpty, addedBytes >= threshold { return false }
            noticeThreshold = threshold
            return true
        }
    }

    /// Subtracts items that were written or dropped from those that wait, and resumes the sources once the queue has emptied.
    func remove(bytes removed: Int, items count: Int) {
        let resumes = lock.withLock {
            bytes -= removed
            items -= count
            if !isAwaited || weight > watermarks.low { return false }
            isAwaited = false
            return true
        }
        if resumes { sources.resume() }
    }

    /// Rejects items from now on, with the error of the first call. Items that were added before stay.
    func reject(_ error: IOError) {
        lock.withLock {
            if rejection == nil { rejection = error }
            isAwaited = false
        }
        sources.resume()
    }

    /// Turns the result `hasFilled` of `add` on or off.
    func setObserved(_ isObserved: Bool) { lock.withLock { self.isObserved = isObserved } }
}
