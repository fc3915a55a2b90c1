// SPDX-License-Identifier: Apache-2.0

import Glibc
public import RxSwift

extension File {
    /// The use of a file that is held open.
    public enum OpenMode: Sendable, CaseIterable {
        /// Reads a file that exists.
        case read
        /// Reads and writes; creates the file if it does not exist.
        case update
        /// Writes at the end of the file, wherever that is at each write; creates the file if it does not exist.
        case append
        /// Writes; creates the file, or empties it first.
        case replace
        /// Writes; fails with `EEXIST` if the file exists.
        case createNew
    }

    /// Opens a file to write and read it piece by piece, at each subscription.
    ///
    /// - Parameters:
    ///   - path: the file. A pipe is opened when it has another end.
    ///   - mode: the use of the file.
    ///   - permissions: the permissions of a new file, as for `open`: less those that the process's umask takes away.
    ///   - writeLimit: the memory in bytes that waiting writes may take, at least 1.
    ///   - scheduler: the event loop on which the file lives and is emitted.
    /// - Returns: the file, which is closed when it is released. Fails with an `IOError` (`open`; `pthread_create`, as `File.write`).
    public static func open(
        _ path: String, mode: OpenMode = .update, permissions: UInt32 = 0o666, writeLimit: Int = 16 << 20,
        scheduler: IOUringScheduler
    ) -> Single<OpenFile> {
        open(Path(path), mode: mode, permissions: permissions, writeLimit: writeLimit, scheduler: scheduler)
    }

    /// Opens a file whose name need not be valid UTF-8. See `open(_:mode:permissions:writeLimit:scheduler:)` with a `String`.
    public static func open(
        _ path: Path, mode: OpenMode = .update, permissions: UInt32 = 0o666, writeLimit: Int = 16 << 20,
        scheduler: IOUringScheduler
    ) -> Single<OpenFile> {
        if writeLimit <= 0 { fatalError("File.open: the write limit must be positive, is \(writeLimit)") }
        return Single(
            raw: scheduler.observable {
                FileOpenSource(path, mode, permissions, writeLimit: writeLimit, on: scheduler, downstream: $0)
            })
    }
}

private final class FileOpenSource: LoopSource<OpenFile> {
    private let path: File.Path
    private let mode: File.OpenMode
    private let permissions: UInt32
    private let writeLimit: Int
    private let scheduler: IOUringScheduler
    private let claim: WriteClaim
    /// Nil before the beginning, and from the end on.
    @exclusivity(unchecked) private var hold: WriteClaim.Hold?
    @exclusivity(unchecked) private var opening: TargetOpening?

    init(
        _ path: File.Path, _ mode: File.OpenMode, _ permissions: UInt32, writeLimit: Int,
        on scheduler: IOUringScheduler, downstream: Sink<OpenFile>
    ) {
        self.path = path
        self.mode = mode
        self.permissions = permissions
        self.writeLimit = writeLimit
        self.scheduler = scheduler
        claim = WriteClaim(path)
        super.init(loop: scheduler.loop, downstream: downstream)
    }

    override var subject: String { path.description }

    override func begin() {
        if mode == .read { return open() }
        let (hold, mayOpen) = claim.begin(for: self, open)
        self.hold = hold
        if mayOpen { open() }
    }

    private func open() {
        let begun = FileTarget.open(
            path, mode.flags, permissions: permissions, on: loop, holding: hold, whenDone: opened)
        if let begun { opening = begun }
    }

    override func wasStopped() { claim.stop() }

    private func opened(_ result: Result<FileTarget.Opened, IOError>) {
        opening = nil
        switch result {
        case .failure(let error): fail(with: error)
        case .success(let opened):
            emit(OpenFile(opened, subject, writeLimit: writeLimit, isReadOnly: mode == .read, scheduler: scheduler))
            complete()
        }
    }

    override func end() {
        claim.stop()
        hold = nil
        opening?.cancel()
        opening = nil
    }
}

extension File.OpenMode {
    fileprivate var flags: CInt {
        switch self {
        case .read: O_RDONLY
        case .update: O_RDWR | O_CREAT
        case .append: O_WRONLY | O_CREAT | O_APPEND
        case .replace: O_WRONLY | O_CREAT | O_TRUNC
        case .createNew: O_WRONLY | O_CREAT | O_EXCL
        }
    }
}
