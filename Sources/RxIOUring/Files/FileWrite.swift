import Glibc
public import RxSwift

extension File {
    /// The treatment of a file that exists already.
    public enum WriteMode: Sendable, CaseIterable {
        /// Empties the file first.
        case replace
        /// Writes at the end of the file, wherever that is at each write.
        case append
        /// Fails with `EEXIST` if the file exists.
        case createNew
    }

    /// Writes chunks to a file, in their order.
    ///
    /// At each subscription the file is opened, and created if it does not exist; then `chunks` is subscribed to, on the loop
    /// thread. Chunks that come during a write wait in memory. A source that can pause is paused while a megabyte waits, or half of
    /// `backlogLimit` if that is less: `File.write(File.read(a, ...), to: b, ...)` copies a file of any size in little memory. Another
    /// source cannot be slowed down; whenever another `backlogLimit` bytes wait, `Hooks.backlogHandler` is called. Small chunks that wait
    /// are written together. A source that emits without end inside its subscription keeps the loop thread, which writes nothing meanwhile,
    /// until the result is disposed of.
    ///
    /// When `chunks` completes, all of it is written and the file is closed, then the number of bytes is emitted. When `chunks`
    /// fails, the chunks that came before are written first, then the error is passed on. When writing fails, `chunks` is
    /// disposed of, and waiting chunks are dropped. A dispose ends writing anywhere in the data. The bytes already written stay
    /// in the file in each case.
    ///
    /// The name may be that of a pipe or a device. A pipe without a reader is opened when there is one, for which the loop looks every
    /// 32 milliseconds; writing to a pipe that readers have left fails with `EPIPE`; the signal `SIGPIPE` does not come. The loop does not
    /// wait for the opening: a thread, one of 32 for all loops, makes or empties the file.
    /// - Parameters:
    ///   - chunks: the bytes to write. May emit on any thread.
    ///   - path: the file.
    ///   - mode: the treatment of a file that exists.
    ///   - permissions: the permissions of a new file, as for `open`: less those that the process's umask takes away.
    ///   - synchronize: if true, the system is asked, before the end, to put everything on the disk (`fsync`); not for pipes
    ///     and devices.
    ///   - backlogLimit: a number of bytes, at least 1.
    ///   - scheduler: the event loop that writes, and emits the result on its thread.
    /// - Returns: the number of bytes written. Fails with an `IOError` (`open`, `write`, `fsync`; `pthread_create` if the system has had no
    ///   thread to open the file for a second), and as `chunks` does.
    public static func write(
        _ chunks: Observable<ByteChunk>, to path: String, mode: WriteMode = .replace, permissions: UInt32 = 0o666,
        synchronize: Bool = false, backlogLimit: Int = 16 << 20, scheduler: IOUringScheduler
    ) -> Single<Int> {
        if backlogLimit <= 0 { fatalError("File.write: the backlog limit has to be positive, is \(backlogLimit)") }
        let target = WriteTarget(path: path, flags: mode.flags, permissions: permissions, synchronize: synchronize)
        return Single(
            raw: scheduler.observable {
                FileWriteSource(
                    chunks, target, queue: WriteQueue(limit: backlogLimit), loop: scheduler.loop, downstream: $0)
            })
    }
}

extension File.WriteMode {
    fileprivate var flags: CInt {
        switch self {
        case .replace: return O_WRONLY | O_CREAT | O_TRUNC
        case .append: return O_WRONLY | O_CREAT | O_APPEND
        case .createNew: return O_WRONLY | O_CREAT | O_EXCL
        }
    }
}

private struct WriteTarget {
    let path: String
    let flags: CInt
    let permissions: UInt32
    let synchronize: Bool
}

private final class FileWriteSource: LoopSource<Int> {
    private let chunks: Observable<ByteChunk>
    private let target: WriteTarget
    private let queue: WriteQueue
    private let input: InputSubscription<ByteChunk>

    @exclusivity(unchecked) private var opening: FileOpening?
    @exclusivity(unchecked) private var file: Descriptor?
    @exclusivity(unchecked) private var write: WriteOperation?
    @exclusivity(unchecked) private var synchronization: SynchronizeOperation?
    /// The offset of the next write; -1 if the file has no positions.
    @exclusivity(unchecked) private var offset: Int64 = 0
    @exclusivity(unchecked) private var total = 0
    /// The bytes of the current write, and the number of chunks in which they came.
    @exclusivity(unchecked) private var underWay = (bytes: 0, chunks: 0)

    /// The number of bytes up to which small chunks are written together.
    private static let gathered = 1 << 20
    /// The number of bytes from which on a chunk is written by itself, since copying it would cost more.
    private static let large = 64 * 1024

    init(
        _ chunks: Observable<ByteChunk>, _ target: WriteTarget, queue: WriteQueue, loop: EventLoop,
        downstream: Sink<Int>
    ) {
        self.chunks = chunks
        self.target = target
        self.queue = queue
        input = InputSubscription(pausing: queue.sources)
        super.init(loop: loop, downstream: downstream)
    }

    override var subject: String { target.path }

    override func begin() {
        if let begun = loop.open(target.path, target.flags, permissions: target.permissions, whenDone: opened) {
            opening = begun
        }
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
        // These retain the source until the kernel's last completion; `end` breaks the cycle.
        write = WriteOperation(file, whenFinished: written)
        input.begin(
            chunks, onNext: accept, onError: { self.accept(.failed($0)) }, onCompleted: { self.accept(.completed) },
            isFull: queue.isFull)
    }

    override func wasStopped() { input.dispose() }

    override func end() {
        opening?.cancel()
        opening = nil
        input.dispose()
        if let write {
            write.stop()
            loop.cancel(write)
        }
        if let synchronization { loop.cancel(synchronization) }
        write = nil
        synchronization = nil
        file?.close()
        queue.close()
    }

    // MARK: On the threads of the chunks

    private func accept(_ chunk: ByteChunk) {
        // Otherwise the loop's end, which cancels this, would wait for ever for a source that keeps the loop thread.
        if loop.isEndingSoon { return input.dispose() }
        if chunk.isEmpty { return }
        let duty = queue.add(chunk)
        if duty.tellsLoop { whileRunning(writeNext) }
        if let backlog = duty.backlog { Hooks.backlogHandler("File.write to \(target.path) (bytes)", backlog) }
    }

    private func accept(_ ending: WriteQueue.Ending) {
        if queue.end(ending) { whileRunning(writeNext) }
    }

    // MARK: On the loop

    private func writeNext() {
        guard let write else { return }
        switch queue.next() {
        case .nothing: break
        case .end(let ending): finish(ending)
        case .chunk(let first):
            write.write(gather(first), offset: offset)
        }
    }

    /// Merges a small chunk with those that follow it, and sets `underWay`.
    private func gather(_ first: ByteChunk) -> ByteChunk {
        underWay = (first.count, 1)
        guard canMerge(first), let second = queue.upcoming, canMerge(second) else { return first }
        var bytes = [UInt8](first)
        while let next = queue.upcoming, canMerge(next), bytes.count + next.count <= FileWriteSource.gathered {
            next.withUnsafeBytes { bytes.append(contentsOf: $0) }
            underWay.chunks += 1
            _ = queue.next()
        }
        underWay.bytes = bytes.count
        return ByteChunk(bytes)
    }

    private func canMerge(_ chunk: ByteChunk) -> Bool { chunk.count < FileWriteSource.large }

    private func written(_ result: Int32) {
        guard isRunning else { return }
        if result < 0 { return fail("write", -result) }
        total += underWay.bytes
        if offset >= 0 { offset += Int64(underWay.bytes) }
        queue.wrote(underWay.bytes, items: underWay.chunks)
        writeNext()
    }

    private func finish(_ ending: WriteQueue.Ending) {
        switch ending {
        case .failed(let error): fail(with: error)
        case .completed:
            guard target.synchronize, offset >= 0, let file else { return succeed() }
            let synchronization = SynchronizeOperation(file) { self.synchronized($0) }
            self.synchronization = synchronization
            file.submit(synchronization)
        }
    }

    private func synchronized(_ result: Int32) {
        guard isRunning else { return }
        if result == -EINTR { return finish(.completed) }
        if result < 0 { return fail("fsync", -result) }
        succeed()
    }

    private func succeed() {
        // Closed before the number is emitted: its receiver may open the file, or count descriptors.
        file?.close()
        emit(total)
        complete()
    }
}
