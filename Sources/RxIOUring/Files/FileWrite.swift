// SPDX-License-Identifier: Apache-2.0

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
        /// Writes a new file in the same directory, which takes the name when it is complete and on the disk.
        ///
        /// So the name stands for the whole old content or for the whole new content at any time, also after a loss of power. After an
        /// error or a dispose the old content stays, and the new file is removed. There is one exception: a dispose, or the end of the
        /// loop (`ECANCELED`), that comes while the new file is taking the name leaves either content, and the new one may appear a moment
        /// later. Only a process that is killed, or that ends at that very moment, leaves it behind, under a name that begins with a dot and ends in
        /// `.tmp`.
        ///
        /// The new file gets the permissions of the old one, and its owner and group where the system allows that; not its access
        /// control list, extended attributes or further hard links. If the name is that of a symbolic link, the link stays, and the
        /// file that it leads to is replaced. What is no regular file cannot be replaced. The directory is the one that the path led
        /// to at first, even if it is renamed or the working directory changes; the process must be allowed to read it.
        case replaceAtomically
    }

    /// Writes chunks to a file, in their order.
    ///
    /// At each subscription the file is opened, and created if it does not exist; then `chunks` is subscribed to, on the loop
    /// thread. Chunks that come during a write wait in memory. A source that can pause is paused while 8 MiB wait, or half of
    /// `backlogLimit` if that is less: `File.write(File.read(a, ...), to: b, ...)` copies a file of any size in little memory. Another
    /// source cannot be slowed down; `Hooks.backlogHandler` is called once for each multiple of `backlogLimit` bytes that wait. Chunks that wait
    /// are written together, up to 16 MiB at once, and two such writes may be under way; to a pipe or a device, and in append mode, one. A
    /// source that emits without end inside its subscription keeps the loop thread, which writes nothing meanwhile, until the result is
    /// disposed of.
    ///
    /// A write to a path waits until earlier writes to the same path that were disposed of, or have failed, have left the file alone: what
    /// the system is writing at a dispose still comes into the file, before what is written next. A relative path, `.` and doubled slashes make
    /// no other path; a link to the file and `..` do.
    ///
    /// When `chunks` completes, all of it is written and the file is closed, then the number of bytes is emitted. When `chunks`
    /// fails, the chunks that came before are written first, then the error is passed on. When writing fails, `chunks` is
    /// disposed of, and waiting chunks are dropped. A dispose ends writing anywhere in the data. In each case the file has all bytes up
    /// to some place and none behind it: it is cut off at the first byte that is missing, so its size tells how much was written. A
    /// process that is killed meanwhile may leave a gap of bytes that are 0.
    ///
    /// When the event loop is shut down, the chunks that were accepted are still written, for as long as `shutdown` allows.
    ///
    /// The name may be that of a pipe or a device. A pipe without a reader is opened when there is one, for which the loop looks every
    /// 32 milliseconds; writing to a pipe that readers have left fails with `EPIPE`; the signal `SIGPIPE` does not come. The loop does not
    /// wait for the opening: a thread, one of 32 for all loops, makes or empties the file. If the result is disposed of meanwhile, or the loop
    /// ends, the thread still does that, a moment behind the error; later writes of this library to the path wait for it.
    /// - Parameters:
    ///   - chunks: the bytes to write. May emit on any thread.
    ///   - path: the file.
    ///   - mode: the treatment of a file that exists.
    ///   - permissions: the permissions of a new file, as for `open`: less those that the process's umask takes away.
    ///   - synchronize: if true, the system is asked, before the end, to put everything on the disk (`fsync`); not for pipes
    ///     and devices. With `replaceAtomically` it is asked in any case, and for the directory as well.
    ///   - backlogLimit: a number of bytes, at least 1.
    ///   - scheduler: the event loop that writes, and emits the result on its thread.
    /// - Returns: the number of bytes written. Fails with an `IOError` (`open`, `write`, `fsync`, `close`; `fchmod` and `rename` with
    ///   `replaceAtomically`; `pthread_create` if the system has had no thread to open the file for a second), and as `chunks` does. An
    ///   `fsync` of the directory that fails comes when the name stands for the new content.
    public static func write(
        _ chunks: Observable<ByteChunk>, to path: String, mode: WriteMode = .replace, permissions: UInt32 = 0o666,
        synchronize: Bool = false, backlogLimit: Int = 16 << 20, scheduler: IOUringScheduler
    ) -> Single<Int> {
        write(
            chunks, to: Path(path), mode: mode, permissions: permissions, synchronize: synchronize,
            backlogLimit: backlogLimit, scheduler: scheduler)
    }

    /// Writes chunks to a file whose name need not be valid UTF-8.
    ///
    /// See `write(_:to:mode:permissions:synchronize:backlogLimit:scheduler:)` with a `String`.
    public static func write(
        _ chunks: Observable<ByteChunk>, to path: Path, mode: WriteMode = .replace, permissions: UInt32 = 0o666,
        synchronize: Bool = false, backlogLimit: Int = 16 << 20, scheduler: IOUringScheduler
    ) -> Single<Int> {
        if backlogLimit <= 0 { fatalError("File.write: the backlog limit has to be positive, is \(backlogLimit)") }
        let target = FileTarget(path: path, mode: mode, permissions: permissions)
        return Single(
            raw: scheduler.observable {
                FileWriteSource(
                    chunks, target, synchronize: synchronize, backlogLimit: backlogLimit, loop: scheduler.loop,
                    downstream: $0)
            })
    }
}

private final class FileWriteSource: LoopSource<Int>, WriteWaiter {
    private let chunks: Observable<ByteChunk>
    private let target: FileTarget
    private let synchronize: Bool
    private let queue: WriteQueue
    private let backlogPlace = Backlog.Place()
    private let input: InputSubscription<ByteChunk>

    private let claim: WriteClaim
    /// Nil before the beginning, and from the end on.
    @exclusivity(unchecked) private var hold: WriteClaim.Hold?
    @exclusivity(unchecked) private var opening: TargetOpening?
    /// The file, set before `chunks` is subscribed to.
    @exclusivity(unchecked) private var output: FileOutput?
    @exclusivity(unchecked) private var replacement: FileReplacement?
    /// The call that gives the replacement its name.
    @exclusivity(unchecked) private var commit: BlockingCall<IOError?>?
    /// The error of `chunks`.
    @exclusivity(unchecked) private var inputError: (any Error)?

    override var isInput: Bool { false }

    init(
        _ chunks: Observable<ByteChunk>, _ target: FileTarget, synchronize: Bool, backlogLimit: Int, loop: EventLoop,
        downstream: Sink<Int>
    ) {
        self.chunks = chunks
        self.target = target
        self.synchronize = synchronize
        queue = WriteQueue(path: target.path.description, limit: backlogLimit)
        input = InputSubscription(pausing: queue.sources)
        claim = WriteClaim(target.path)
        super.init(loop: loop, downstream: downstream)
    }

    override var subject: String { target.path.description }

    override func begin() {
        // A write to the same path that was disposed of may still be in the kernel's hands.
        let (hold, mayOpen) = claim.begin(for: self, open)
        self.hold = hold
        if mayOpen { open() }
    }

    private func open() {
        if let begun = target.open(on: loop, holding: hold, whenDone: opened) { opening = begun }
    }

    private func opened(_ result: Result<FileTarget.Opened, IOError>) {
        opening = nil
        switch result {
        case .failure(let error): fail(with: error)
        case .success(let opened): begin(with: opened)
        }
    }

    private func begin(with opened: FileTarget.Opened) {
        let output = FileOutput(
            opened.descriptor, opened.layout, queue: queue, path: subject, holding: hold, loop: loop)
        replacement = opened.replacement
        // Holds this source until the output has ended, or `end` abandons it.
        output.onFailure = { self.fail(with: $0) }
        self.output = output
        input.begin(
            chunks, onNext: accept, onError: { self.accept(end: $0) }, onCompleted: { self.accept(end: nil) },
            isFull: queue.isFull)
    }

    override func wasStopped() {
        claim.stop()
        input.dispose()
    }

    override func end() {
        claim.stop()
        hold = nil
        opening?.cancel()
        opening = nil
        input.dispose()
        output?.abandon()
        output = nil
        if let commit {
            // Its thread may be using the replacement, which removes its file when it is released, unless it has got its name by then.
            commit.cancel()
        } else {
            replacement?.discard()
        }
        (commit, replacement) = (nil, nil)
    }

    // The outcome of a commit under way would not reach a loop that ends.
    override func drain() -> Bool { isRunning && output?.isCloseRequested == true && commit == nil }

    // MARK: On the threads of the chunks

    private func accept(_ chunk: ByteChunk) {
        // Otherwise the loop's end, which cancels this, would wait for ever for a source that keeps the loop thread.
        if loop.isEndingSoon { return input.dispose() }
        guard let output, !chunk.isEmpty else { return }
        let bytes = output.add(WriteQueue.Item(work: .write(chunk, offset: nil), waiter: nil), beyondLimit: .unlimited)
            .bytes
        // A source that pauses sends nothing behind that much: a chunk of its own may be greater.
        if bytes.before >= queue.watermarks.high {
            Backlog.noticed(
                bytes.after, "bytes", threshold: queue.limit, at: "File.write to \(target.path) (bytes)", backlogPlace)
        }
    }

    private func accept(end error: (any Error)?) { whileRunning { self.inputEnded(error) } }

    // MARK: On the loop

    private func inputEnded(_ error: (any Error)?) {
        guard let output else { return }
        inputError = error
        if error == nil, mustSynchronize {
            _ = output.add(WriteQueue.Item(work: .synchronize, waiter: nil), beyondLimit: .unlimited)
        }
        // Closed before the number is emitted: its receiver may open the file, or count descriptors.
        output.close(self)
    }

    private var mustSynchronize: Bool { replacement != nil || synchronize && output?.hasPlaces == true }

    /// Handles the end of the file.
    func writeEnded(_ error: IOError?) {
        guard isRunning else { return }
        if let error { return fail(with: error) }
        if let inputError { return fail(with: inputError) }
        guard let replacement else { return succeed() }
        // A loop that ends hears of no other thread any more.
        if loop.isClosed { return committed(replacement.commit()) }
        let hold = hold
        commit = BlockingCall(on: loop, in: loop.configuration.files) {
            withExtendedLifetime(hold) { replacement.commit() }
        } whenDone: { [self] result in
            commit = nil
            switch result {
            case .success(let failure): committed(failure)
            case .failure(let error): fail(with: error.ioError(subject: subject))
            }
        }
    }

    private func committed(_ failure: IOError?) {
        guard isRunning else { return }
        if let failure { fail(with: failure) } else { succeed() }
    }

    private func succeed() {
        emit(output?.total ?? 0)
        complete()
    }
}
