import RxPrimitives
import RxSwift

/// The chunks accepted for writing, on their way from the threads of a source to a loop.
///
/// At any time the loop attends to the queue (it writes, or was told to look), or the queue is empty.
final class WriteQueue: @unchecked Sendable {
    /// The way the source ended.
    enum Ending {
        case completed
        case failed(any Error)
    }

    /// The result of the loop's look at the queue.
    enum NextChunk {
        case chunk(ByteChunk)
        /// Nothing for now: the next thread that adds something has to tell the loop.
        case nothing
        case end(Ending)
    }

    /// The duties of the thread that adds a chunk.
    struct AddResult {
        var tellsLoop: Bool
        /// The number of waiting bytes, if that is to be reported.
        var backlog: Int?
    }

    private let limit: Int
    private let watermarks: OutputWatermarks
    /// The sources that wait until the queue has emptied.
    let sources = InputSources()

    private let lock = Mutex()
    /// The added chunks, oldest first (under the lock).
    @exclusivity(unchecked) private var added: [ByteChunk] = []
    /// Bytes that were added and neither written nor dropped (under the lock).
    @exclusivity(unchecked) private var bytes = 0
    /// The number of chunks of these bytes (under the lock).
    @exclusivity(unchecked) private var items = 0
    /// True if a source waits (under the lock).
    @exclusivity(unchecked) private var isAwaited = false
    /// The end of the source, if it came (under the lock).
    @exclusivity(unchecked) private var ending: Ending?
    /// True if the loop writes or was told to look (under the lock).
    @exclusivity(unchecked) private var isAttended = false
    /// True once nothing is wanted any more (under the lock).
    @exclusivity(unchecked) private var isClosed = false

    /// The chunks taken from `added` in one batch, newest first (loop thread only).
    @exclusivity(unchecked) private var taken: [ByteChunk] = []

    /// - Parameter limit: the number of bytes at which, and at each multiple of which, the backlog is reported.
    init(limit: Int) {
        self.limit = limit
        watermarks = OutputWatermarks(limit: limit)
    }

    /// Adds a chunk; called by the source, serially.
    func add(_ chunk: ByteChunk) -> AddResult {
        lock.withLock {
            if isClosed { return AddResult(tellsLoop: false) }
            added.append(chunk)
            let before = bytes
            bytes += chunk.count
            items += 1
            let isOverLimit = bytes / limit > before / limit
            return AddResult(tellsLoop: attend(), backlog: isOverLimit ? bytes : nil)
        }
    }

    /// Adds the end behind the last chunk; called by the source. Returns whether the loop has to be told.
    func end(_ ending: Ending) -> Bool {
        lock.withLock {
            if isClosed { return false }
            self.ending = ending
            return attend()
        }
    }

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
    private var mustPause: Bool { !isClosed && weight > (isAwaited ? watermarks.low : watermarks.high) }

    /// What waits, in bytes (under the lock).
    private var weight: Int { bytes + items * OutputWatermarks.itemOverhead }

    private func attend() -> Bool {
        defer { isAttended = true }
        return !isAttended
    }

    // MARK: On the loop

    /// The next chunk if it was taken from the shared list already, without removing it here.
    var upcoming: ByteChunk? { taken.last }

    func next() -> NextChunk {
        if let chunk = taken.popLast() { return .chunk(chunk) }
        var batch: [ByteChunk] = []
        let end: Ending? = lock.withLock {
            swap(&batch, &added)
            if !batch.isEmpty { return nil }
            if ending == nil { isAttended = false }
            return ending
        }
        if let end { return .end(end) }
        guard !batch.isEmpty else { return .nothing }
        batch.reverse()
        taken = batch
        return .chunk(taken.removeLast())
    }

    /// Subtracts chunks that were written from those that wait, and resumes the sources once the queue has emptied.
    func wrote(_ count: Int, items written: Int) {
        let resumes = lock.withLock {
            bytes -= count
            items -= written
            if !isAwaited || weight > watermarks.low { return false }
            isAwaited = false
            return true
        }
        if resumes { sources.resume() }
    }

    /// Releases the waiting chunks, and accepts no more.
    func close() {
        var dropped: [ByteChunk] = []
        lock.withLock {
            isClosed = true
            swap(&dropped, &added)
        }
        // Released outside the lock: user code may run in a deinit.
        dropped = []
        let rest = taken
        taken = []
        withExtendedLifetime(rest) {}
        sources.resume()
    }
}
