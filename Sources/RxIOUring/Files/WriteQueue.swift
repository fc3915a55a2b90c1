import RxPrimitives

/// What was accepted to be written: from the threads of a source to a loop.
///
/// At any time the loop attends to the queue (it writes, or was told to look), or the queue is empty.
final class WriteQueue: @unchecked Sendable {
    /// How the source ended.
    enum Ending {
        case completed
        case failed(any Error)
    }

    /// What the loop finds.
    enum NextChunk {
        case chunk(ByteChunk)
        /// Nothing for now: the next one to add something has to tell the loop.
        case nothing
        case end(Ending)
    }

    /// What the adding thread has to do.
    struct AddResult {
        var tellsLoop: Bool
        /// How many bytes wait, if that is to be reported.
        var backlog: Int?
    }

    private let limit: Int

    private let lock = Mutex()
    /// Oldest first. Under the lock.
    @exclusivity(unchecked) private var added: [ByteChunk] = []
    /// Bytes that were added and neither written nor dropped. Under the lock.
    @exclusivity(unchecked) private var bytes = 0
    /// Under the lock.
    @exclusivity(unchecked) private var ending: Ending?
    /// Under the lock.
    @exclusivity(unchecked) private var isAttended = false
    /// Nothing is wanted any more. Under the lock.
    @exclusivity(unchecked) private var isClosed = false

    /// Newest first, taken from the others at once. Only the loop.
    @exclusivity(unchecked) private var taken: [ByteChunk] = []

    /// - Parameter limit: at how many bytes, and then at each multiple, the backlog is reported.
    init(limit: Int) { self.limit = limit }

    /// By the source, serially.
    func add(_ chunk: ByteChunk) -> AddResult {
        lock.withLock {
            if isClosed { return AddResult(tellsLoop: false) }
            added.append(chunk)
            let before = bytes
            bytes += chunk.count
            let isOverLimit = bytes / limit > before / limit
            return AddResult(tellsLoop: attend(), backlog: isOverLimit ? bytes : nil)
        }
    }

    /// By the source, behind the last chunk. Returns whether the loop has to be told.
    func end(_ ending: Ending) -> Bool {
        lock.withLock {
            if isClosed { return false }
            self.ending = ending
            return attend()
        }
    }

    private func attend() -> Bool {
        defer { isAttended = true }
        return !isAttended
    }

    // MARK: On the loop

    /// The next chunk, without taking it, if it is there already.
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

    /// So many bytes wait no longer.
    func wrote(_ count: Int) {
        lock.lock()
        bytes -= count
        lock.unlock()
    }

    /// Lets go of what waits, and takes nothing more.
    func close() {
        var dropped: [ByteChunk] = []
        lock.withLock {
            isClosed = true
            swap(&dropped, &added)
        }
        // Released outside: memory that comes back to its stream has it go on.
        dropped = []
        let rest = taken
        taken = []
        withExtendedLifetime(rest) {}
    }
}
