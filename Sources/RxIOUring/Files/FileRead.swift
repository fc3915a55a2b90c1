// SPDX-License-Identifier: Apache-2.0

import Glibc
public import RxSwift

extension File {
    /// Emits the bytes of a file, in chunks, from its beginning to its end.
    ///
    /// Opens the file at each subscription, and closes it after the terminal event or a dispose. Until then a FIFO has a reader: a writer that
    /// comes at once may find it, and its bytes are lost. Reads on when the observer has returned,
    /// unless a stage below pauses the source, such as an `observe(on:)` whose queue is full, or a `write`. So a file of any size passes
    /// through in little memory. Chunks that are kept (`toArray()`) cost memory.
    ///
    /// The loop reads at once the bytes that the kernel has in memory, for up to the 200 microseconds that it has for completions in a turn; another
    /// thread does for chunks of more than a megabyte. The kernel reads ahead from the disk by itself.
    ///
    /// The end is where it is found: a file that grows meanwhile is read on, one that is truncated behind the bytes already read
    /// ends there. A named pipe is read from when its first writer has written. The opening does not block the loop, and a dispose takes effect
    /// at once: paths that are not in the kernel's memory are opened on threads for that, 32 for all loops.
    /// - Parameters:
    ///   - path: the file.
    ///   - chunkSize: the most bytes per chunk, at least 1; the last chunk, and chunks of other than regular files, may be smaller. No chunk has more
    ///     than 2,147,479,552 bytes, which the system reads at once.
    ///   - window: the number of chunks whose memory is kept for reuse, at least 1.
    ///   - scheduler: the event loop that reads, and emits chunks on its thread.
    /// - Returns: chunks, none of them empty. Fails with an `IOError` (`open`, `read`; `pthread_create` if the system has had no thread
    ///   to open the file for a second).
    public static func read(
        _ path: String, chunkSize: Int = defaultChunkSize, window: Int = 2, scheduler: IOUringScheduler
    ) -> Observable<ByteChunk> {
        read(Path(path), chunkSize: chunkSize, window: window, scheduler: scheduler)
    }

    /// Emits the bytes of a file whose name need not be valid UTF-8. See `read(_:chunkSize:window:scheduler:)` with a `String`.
    public static func read(
        _ path: Path, chunkSize: Int = defaultChunkSize, window: Int = 2, scheduler: IOUringScheduler
    ) -> Observable<ByteChunk> {
        if chunkSize <= 0 { fatalError("File.read: the chunk size has to be positive, is \(chunkSize)") }
        if window <= 0 { fatalError("File.read: the window has to be at least 1, is \(window)") }
        return scheduler.observable(of: path.description) {
            FileReadSource(path, pool: BytePool(size: chunkSize, window: window), loop: scheduler.loop, downstream: $0)
        }
    }
}

private final class FileReadSource: ChunkSource {
    private let path: File.Path
    private let pool: BytePool
    @exclusivity(unchecked) private var opening: FileOpening?
    @exclusivity(unchecked) private var file: Descriptor?
    @exclusivity(unchecked) private var offset: Int64 = 0
    @exclusivity(unchecked) private var operation: ReadOperation?

    init(_ path: File.Path, pool: BytePool, loop: EventLoop, downstream: Sink<ByteChunk>) {
        self.path = path
        self.pool = pool
        super.init(loop: loop, downstream: downstream)
    }

    override var subject: String { path.description }

    override func begin() {
        if let begun = loop.open(path, O_RDONLY, whenDone: opened) { opening = begun }
    }

    private func opened(_ result: Result<Descriptor, IOError>) {
        opening = nil
        switch result {
        case .failure(let error): fail(with: error)
        case .success(let file): begin(with: file)
        }
    }

    private func begin(with file: Descriptor) {
        self.file = file
        if !FileStatus(of: file).isRegular { offset = -1 }
        // Retains this source until the kernel's last completion; `end` breaks the cycle.
        operation = ReadOperation(file, whenFinished: finished)
        read()
    }

    override func end() {
        opening?.cancel()
        opening = nil
        if let operation { loop.cancel(operation) }
        operation = nil
        file?.close()
    }

    /// Emits what is in the kernel's memory, while the loop has time for that, and then submits a read.
    override func read() {
        guard let operation, !operation.isInFlight else { return }
        while isRunning, mayRead() {
            operation.prepare(into: pool.take(), offset: offset)
            guard let result = loop.backend.performCached(operation) else { return operation.submit() }
            accept(result)
        }
    }

    private func finished(_ result: Int32) {
        guard isRunning, let operation else { return }
        if result == -EINTR { return operation.submit() }
        accept(result)
        read()
    }

    private func accept(_ result: Int32) {
        guard let storage = operation?.takeStorage() else { return }
        if offset == 0, result == -EAGAIN || result == -ESPIPE {
            // A file of the kernel from which bytes come as from a pipe, such as /proc/kmsg. One that has given bytes has places.
            offset = -1
            return
        }
        if result < 0 { return fail("read", -result) }
        if result == 0 { return complete() }
        if offset >= 0 { offset += Int64(result) }
        deliver(pool.chunk(storage, count: Int(result)))
    }
}
