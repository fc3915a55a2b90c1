// SPDX-License-Identifier: Apache-2.0

import Glibc
public import RxSwift

extension File {
    /// The place where following a file begins.
    public enum FollowStart: Sendable, CaseIterable {
        /// Begins with all that is in the file.
        case beginning
        /// Begins with the bytes written to the file once the loop has looked it up.
        ///
        /// That is a moment after `subscribe`: what other code appends right behind `subscribe` may come before it.
        case end
    }

    /// Emits the content of a file, from a place on, and all bytes written to it later, for ever: a log, as by `tail -F`.
    ///
    /// Follows the name. If the file does not exist when the loop looks for it, a moment after `subscribe`, waits for it, and reads it from its beginning. When another file takes
    /// the name (rotation by renaming, deletion and re-creation), the old one is read on until the new one is not empty, then to
    /// its end, and then the new one from its beginning: a writer that still has the old one open loses nothing, as long as it
    /// writes to one after the other, and each file has the name until the loop has seen it (some milliseconds, more on a busy
    /// machine). A file that has become shorter than the part read of it was truncated, and is read from its beginning again. If
    /// it has grown beyond that place since, it cannot be told from a file that was only appended to.
    ///
    /// The kernel reports changes to the directory and the file (inotify), but not that the path leads elsewhere: by a symbolic link that was
    /// replaced, a directory above that was renamed, or a mount. So the stream also looks at the path once a second; where that takes a thread, as on
    /// the mount of a server, one stream of the loop at a time does so. Reads no further while a stage
    /// below pauses the source, as `read` does.
    /// The followed files of a loop share one inotify instance, of which the system gives a user 128 by default
    /// (`fs.inotify.max_user_instances`). A stream watches the file and the directory that its name is in, which has to exist, and whose end
    /// is an error, as it is if the path leads to none for two seconds; if the user has no watches left (`fs.inotify.max_user_watches`), it fails with `ENOSPC`. If the user has no instance left, it waits up to a second for one.
    ///
    /// While an observer lags behind, at most 16 files that took the name wait, open; if there are more, the ones in between are
    /// skipped, and `IOHooks.noticeHandler` is called.
    /// - Parameters:
    ///   - path: the file; a relative path leads on from the working directory at `subscribe`.
    ///   - start: the place to begin at, in a file that the loop finds there. `beginning` misses nothing that is written right behind `subscribe`.
    ///   - chunkSize: the most bytes per chunk, at least 1.
    ///   - window: the number of chunks whose memory is kept for reuse, at least 1.
    ///   - scheduler: the event loop that reads, and emits chunks on its thread.
    /// - Returns: chunks, none of them empty. Never completes. Waits for a file that takes the name later and must not be read, and tells
    ///   `IOHooks.noticeHandler`. Fails with an `IOError` (`open`, `read`, `inotify_init1`,
    ///   `inotify_add_watch`, `read inotify`, `fcntl` without a free descriptor; `pthread_create` if the system has had no thread to look the path up for a second).
    public static func follow(
        _ path: String, from start: FollowStart = .end, chunkSize: Int = defaultChunkSize, window: Int = 2,
        scheduler: IOUringScheduler
    ) -> Observable<ByteChunk> {
        follow(Path(path), from: start, chunkSize: chunkSize, window: window, scheduler: scheduler)
    }

    /// Follows a file whose name need not be valid UTF-8. See `follow(_:from:chunkSize:window:scheduler:)` with a `String`.
    public static func follow(
        _ path: Path, from start: FollowStart = .end, chunkSize: Int = defaultChunkSize, window: Int = 2,
        scheduler: IOUringScheduler
    ) -> Observable<ByteChunk> {
        if chunkSize <= 0 { fatalError("File.follow: the chunk size has to be positive, is \(chunkSize)") }
        if window <= 0 { fatalError("File.follow: the window has to be at least 1, is \(window)") }
        return scheduler.observable(of: path.description) {
            FileFollowSource(
                path, from: start, pool: BytePool(size: chunkSize, window: window), loop: scheduler.loop, downstream: $0
            )
        }
    }
}

private final class FileFollowSource: ChunkSource {
    /// From the root, so that a later change of the working directory changes nothing.
    private let path: File.Path
    private let givenPath: File.Path
    private let start: File.FollowStart
    private let pool: BytePool

    @exclusivity(unchecked) private var watcher: FileWatcher?
    /// The look at the path that a thread makes, and the opening of the file found.
    @exclusivity(unchecked) private var lookUp: BlockingCall<Result<FileStatus, SystemError>>?
    @exclusivity(unchecked) private var opening: FileOpening?
    /// True from a look at the path until the file found was opened, and true if another look has to follow.
    @exclusivity(unchecked) private var isLooking = false
    @exclusivity(unchecked) private var mustLookAgain = false
    /// The next look without an event, or the next attempt to begin.
    @exclusivity(unchecked) private var nextLook: DelayTimer?
    /// The directory that had the name at the last look without an event, and whether there was none.
    @exclusivity(unchecked) private var directory: FileStatus.Identity?
    @exclusivity(unchecked) private var isDirectoryMissing = false
    /// True if the file that has the name could not be opened for want of the permission.
    @exclusivity(unchecked) private var isForbidden = false
    /// True until the first look at the watched path has ended.
    @exclusivity(unchecked) private var isFirstLook = true
    /// The current file, followed by the files that took its name, oldest first.
    @exclusivity(unchecked) private var files: [FollowedFile] = []
    @exclusivity(unchecked) private var isReading = false
    /// True if something happened since the last read was submitted.
    @exclusivity(unchecked) private var hasChanges = false
    /// True if the first file's successor was written to, so that the next end of the first file is its last.
    @exclusivity(unchecked) private var isFinishing = false
    /// True if a file for which there was no room may have taken the name.
    @exclusivity(unchecked) private var isMissingSome = false
    /// The error for which the directory is not watched any more.
    @exclusivity(unchecked) private var directoryError: SystemError?

    /// The number of attempts to get an inotify instance that have failed.
    @exclusivity(unchecked) private var attempts = 0

    private static let mostFiles = 17
    private static let mostAttempts = 100
    /// The nanoseconds between two attempts.
    private static let attemptInterval: Int64 = 10_000_000
    /// The nanoseconds between looks without an event.
    private static let lookInterval: Int64 = 1_000_000_000

    init(_ path: File.Path, from start: File.FollowStart, pool: BytePool, loop: EventLoop, downstream: Sink<ByteChunk>)
    {
        self.path = path.absolute
        givenPath = path
        self.start = start
        self.pool = pool
        super.init(loop: loop, downstream: downstream)
    }

    override var subject: String { givenPath.description }

    override func begin() {
        // No file will ever have this name.
        if path.isEmpty { return fail("open", ENOENT) }
        if path.containsNUL { return fail("open", EINVAL) }
        // Only brings the path into the kernel's memory, so that a watch on a local mount is added at once.
        if let begun = loop.lookUp(path, whenDone: beginWatching) { lookUp = begun }
    }

    private func beginWatching(_ result: Result<FileStatus, SystemError>) {
        lookUp = nil
        if case .failure(let error) = result, error.operation != "open" {
            return fail(with: error.ioError(subject: subject))
        }
        let watcher = FileWatcher(path, on: loop) { [weak self] in self?.heard($0) }
        self.watcher = watcher
        watcher.begin { [self] in
            if let failure = $0 { return beginFailed(failure, result) }
            // The directory is watched by now: a file that comes too late for this look is an event.
            lookAtPath()
        }
    }

    private func beginFailed(_ failure: IOError, _ result: Result<FileStatus, SystemError>) {
        watcher = nil
        attempts += 1
        // The kernel takes its time to close those that other streams have left.
        if failure.code != EMFILE || attempts > FileFollowSource.mostAttempts { return fail(with: failure) }
        nextLook = DelayTimer(on: loop, after: FileFollowSource.attemptInterval) { [weak self] in
            self?.nextLook = nil
            self?.beginWatching(result)
        }
    }

    override func end() {
        giveTurnBack()
        lookUp?.cancel()
        lookUp = nil
        opening?.cancel()
        opening = nil
        nextLook?.cancel(on: loop)
        nextLook = nil
        for file in files { file.close(on: loop) }
        files = []
        watcher?.end()
        watcher = nil
    }

    // MARK: Changes

    private func heard(_ changes: FileWatcher.Changes) {
        guard isRunning else { return }
        hasChanges = true
        for file in files { file.hasChanged = true }
        if changes.error != 0 { return fail("read inotify", changes.error) }
        if let directory = changes.directory {
            directoryError = if case .failure(let error) = directory { error } else { nil }
        }
        if changes.isAboutPath { lookAtPath() }
        read()
    }

    /// Opens the file that has the name, if it is another one than before.
    private func lookAtPath() {
        if isLooking {
            mustLookAgain = true
            return
        }
        isLooking = true
        lookAtName()
    }

    private func lookAtName() {
        if let begun = loop.lookUp(path, whenDone: looked) { lookUp = begun }
    }

    /// Looks whether the path leads to another directory, of which the kernel does not tell, and then at the name in it.
    private func lookAtDirectory() {
        nextLook = nil
        // Otherwise the end of the look under way begins the time anew.
        if isLooking { return }
        isLooking = true
        let directory = path.splitAtLastSlash.directory
        let mayTakeThread = LookTurn.of(loop).take(for: self)
        if !mayTakeThread, !directory.isInMemory || !path.isInMemory { return endLook() }
        if let begun = loop.lookUp(directory, whenDone: lookedAtDirectory) { lookUp = begun }
    }

    private func lookedAtDirectory(_ result: Result<FileStatus, SystemError>) {
        lookUp = nil
        switch result {
        case .success(let status):
            isDirectoryMissing = false
            if status.identity != directory { watcher?.watchDirectoryAgain() }
            directory = status.identity
        case .failure where !isDirectoryMissing:
            // A link may be about to be replaced.
            isDirectoryMissing = true
            return endLook()
        case .failure: break
        }
        lookAtName()
    }

    private func looked(_ result: Result<FileStatus, SystemError>) {
        lookUp = nil
        switch result {
        case .failure(let error): lookFailed(error.ioError(subject: subject))
        case .success(let status): found(status)
        }
    }

    private func found(_ status: FileStatus) {
        if let last = files.last, last.identity == status.identity { return endLook() }
        if files.count == FileFollowSource.mostFiles {
            if !isMissingSome {
                isMissingSome = true
                IOHooks.report(
                    "File.follow \(subject): \(files.count - 1) files took the name while one was read; others may be skipped"
                )
            }
            return endLook()
        }
        switch status.type {
        case S_IFREG:
            if let begun = loop.open(path, O_RDONLY, whenDone: opened) { opening = begun }
        case S_IFDIR: fail("open", EISDIR)
        default: fail("open", EINVAL)
        }
    }

    private func opened(_ result: Result<Descriptor, IOError>) {
        opening = nil
        switch result {
        case .failure(let error): lookFailed(error)
        case .success(let descriptor): add(descriptor)
        }
    }

    private func add(_ descriptor: Descriptor) {
        // Watched before the first read: later writes are events.
        watcher?.watch(descriptor, path) { [self] in
            switch $0 {
            case .failure(let error): fail(with: error.ioError(subject: subject))
            case .success(let watch): add(FollowedFile(descriptor, watch, whenRead: finished))
            }
        }
    }

    private func add(_ file: FollowedFile) {
        isForbidden = false
        files.append(file)
        if isFirstLook, start == .end { file.offset = file.size }
        endLook()
    }

    private func lookFailed(_ error: IOError) {
        if error.code == EACCES, !isFirstLook { return lookForbidden(error) }
        if error.code != ENOENT { return fail(with: error) }
        // A missing directory on the way gives ENOENT, too. Of the end of its own one the kernel does not tell while the deleted file is open.
        if !files.isEmpty { watcher?.watchDirectoryAgain() }
        endLook()
    }

    /// A program that makes a log may have yet to allow others to read it.
    private func lookForbidden(_ error: IOError) {
        if !isForbidden { IOHooks.report("File.follow: \(error); waits for the permission") }
        isForbidden = true
        endLook()
    }

    private func giveTurnBack() { loop.locals[LookTurn.self]?.giveBack(by: self) }

    private func endLook() {
        isLooking = false
        isFirstLook = false
        giveTurnBack()
        if mustLookAgain {
            mustLookAgain = false
            lookAtPath()
        } else if nextLook == nil {
            nextLook = DelayTimer(on: loop, after: FileFollowSource.lookInterval) { [weak self] in
                self?.lookAtDirectory()
            }
        }
        read()
    }

    // MARK: Reading

    override func read() {
        guard isRunning, !isReading, let file = files.first else { return failIfOver() }
        if !mayRead() { return }
        hasChanges = false
        isReading = true
        file.read.read(into: pool.take(), offset: file.offset)
    }

    private func finished(_ result: Int32) {
        isReading = false
        guard isRunning, let file = files.first else { return }
        let storage = file.read.takeStorage()
        if result < 0, result != -EINTR { return fail("read", -result) }
        if result == 0 { return reachedEnd(file) }
        if result > 0 {
            file.offset += Int64(result)
            deliver(pool.chunk(storage, count: Int(result)))
        }
        read()
    }

    private func reachedEnd(_ file: FollowedFile) {
        if hasChanges { return read() }
        // Without a change the size is not true: files of /proc have content, and the size 0.
        if file.hasChanged, file.size < file.offset {
            file.hasChanged = false
            file.offset = 0
            return read()
        }
        if files.count == 1 { return failIfOver() }
        if isFinishing {
            isFinishing = false
            dropFirst()
            read()
        } else if files.count > 2 || files[1].size > 0 || directoryError != nil {
            // Its writer has changed to another file: the bytes that it wrote here before that can be read by now.
            isFinishing = true
            read()
        }
    }

    private func dropFirst() {
        let file = files.removeFirst()
        watcher?.forget(file.watch)
        file.close(on: loop)
        guard isMissingSome else { return }
        isMissingSome = false
        lookAtPath()
    }

    private func failIfOver() {
        if let directoryError, isRunning, !isReading, !isLooking, files.count <= 1 {
            fail(with: directoryError.ioError(subject: subject))
        }
    }
}

/// A file that has, or had, the followed name. Used only on the loop thread.
private final class FollowedFile {
    private let descriptor: Descriptor
    /// Retains its owner until the kernel's last completion; `close` breaks the cycle.
    let read: ReadOperation
    let identity: FileStatus.Identity
    var offset: Int64 = 0
    let watch: CInt
    /// True if something happened since the file was opened, or since it was last found truncated.
    var hasChanged = false

    init(_ descriptor: Descriptor, _ watch: CInt, whenRead: @escaping (Int32) -> Void) {
        self.descriptor = descriptor
        self.watch = watch
        read = ReadOperation(descriptor, whenFinished: whenRead)
        identity = FileStatus(of: descriptor).identity
    }

    var size: Int64 { FileStatus(of: descriptor).size }

    func close(on loop: EventLoop) {
        loop.cancel(read)
        descriptor.close()
    }
}
