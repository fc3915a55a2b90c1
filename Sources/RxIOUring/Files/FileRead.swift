import CRxIOUring
import Glibc
public import RxSwift

extension File {
    /// Emits the bytes of a file, in chunks, from its beginning to its end.
    ///
    /// Opens the file at each subscription, and closes it after the terminal event or a dispose. Reads ahead only into memory
    /// that the stream has: at most `window` chunks are with the observer and the code that it passed them to; the next read is
    /// submitted when one of them was released. So a file of any size passes through in little memory, also across
    /// `observe(on:)`.
    ///
    /// The end is where it is found: a file that grows meanwhile is read on, one that is truncated behind the bytes already read
    /// ends there. Opening a pipe blocks the loop until there is a writer.
    ///
    /// The end takes memory to find, too. An observer that keeps all chunks (`toArray()`) would so wait for ever, and
    /// `IOHooks.noticeHandler` is called after a second or two. Such an observer has to copy the chunks:
    /// `File.read(path, ...).map { Array($0) }.toArray()`.
    /// - Parameters:
    ///   - path: the file.
    ///   - chunkSize: bytes per chunk, at most; the last chunk, and chunks of other than regular files, may be smaller.
    ///   - window: the number of chunks that may be in use at a time, at least 1.
    ///   - scheduler: the event loop that reads, and emits chunks on its thread.
    /// - Returns: chunks, none of them empty. Fails with an `IOError` (`open`, `read`).
    public static func read(
        _ path: String, chunkSize: Int = defaultChunkSize, window: Int = 2, scheduler: IOUringScheduler
    ) -> Observable<ByteChunk> {
        if chunkSize <= 0 { fatalError("File.read: the chunk size has to be positive, is \(chunkSize)") }
        if window <= 0 { fatalError("File.read: the window has to be at least 1, is \(window)") }
        return scheduler.observable {
            FileReadSource(path, pool: BytePool(size: chunkSize, limit: window), loop: scheduler.loop, downstream: $0)
        }
    }
}

private final class FileReadSource: LoopSource<ByteChunk> {
    private let path: String
    private let pool: BytePool
    @exclusivity(unchecked) private var file: Descriptor?
    @exclusivity(unchecked) private var offset: Int64 = 0
    @exclusivity(unchecked) private var read: ReadOperation?

    init(_ path: String, pool: BytePool, loop: EventLoop, downstream: Sink<ByteChunk>) {
        self.path = path
        self.pool = pool
        super.init(loop: loop, downstream: downstream)
    }

    override var subject: String { path }

    override func begin() {
        let fd = openPath(path, O_RDONLY)
        if fd < 0 { return fail("open", errno) }
        let file = Descriptor(fd, on: loop)
        self.file = file
        var status = stat()
        if fstat(fd, &status) == 0, status.st_mode & S_IFMT != S_IFREG { offset = -1 }
        // Retains this source until the kernel's last completion; `end` breaks the cycle.
        read = ReadOperation(file, whenFinished: finished)
        readNext()
    }

    override func end() {
        if let read { loop.cancel(read) }
        read = nil
        file?.close()
    }

    private func readNext() {
        guard let read else { return }
        guard let storage = pool.take(onReturn: { [weak self] in self?.resume() }) else {
            return waitForMemory(pool.limit)
        }
        stopWaiting()
        read.read(into: storage, offset: offset)
    }

    /// Continues when a chunk was released, on any thread.
    private func resume() {
        whileRunning { self.readNext() }
    }

    private func finished(_ result: Int32) {
        guard isRunning, let read else { return }
        let storage = read.takeStorage()
        if result == -EINTR { return read.read(into: storage, offset: offset) }
        if result < 0 { return fail("read", -result) }
        if result == 0 { return complete() }
        if offset >= 0 { offset += Int64(result) }
        emit(ByteChunk(storage, count: Int(result)))
        if isRunning { readNext() }
    }
}
