// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives

/// The opening of a file, which blocks neither the loop nor, for pipes, any other thread. Used only on the loop thread.
///
/// A file whose path is in memory is opened at once. For any other a thread of `BlockingPool.files` waits for the disk or the server.
/// A named pipe is opened for reading at once, and then the loop waits for input, which comes after the first writer; a pipe without
/// readers cannot be opened for writing, and the loop tries again from time to time.
final class FileOpening {
    private let path: File.Path
    private let flags: CInt
    private let permissions: UInt32
    /// Held by the thread that makes the attempt, also after `cancel`.
    @exclusivity(unchecked) private var hold: WriteClaim.Hold?
    private let loop: EventLoop

    /// The receiver of the result, until it is called, or until `cancel`.
    @exclusivity(unchecked) private var whenDone: ((Result<Descriptor, IOError>) -> Void)?
    /// The attempt that a thread makes.
    @exclusivity(unchecked) private var call: BlockingCall<Attempt>?
    /// The pipe that waits for its first writer, and the operation that waits.
    @exclusivity(unchecked) private var pipe: Descriptor?
    @exclusivity(unchecked) private var readiness: ReadinessOperation?
    /// The timer of the next attempt to open a pipe for writing.
    @exclusivity(unchecked) private var pause: DelayTimer?
    @exclusivity(unchecked) private var pauseLength: Int64 = 1_000_000

    private static let longestPause: Int64 = 32_000_000

    fileprivate init(
        _ path: File.Path, _ flags: CInt, permissions: UInt32, holding hold: WriteClaim.Hold?, on loop: EventLoop,
        whenDone: @escaping (Result<Descriptor, IOError>) -> Void
    ) {
        self.path = path
        self.flags = flags
        self.permissions = permissions
        self.hold = hold
        self.loop = loop
        self.whenDone = whenDone
    }

    /// True if the receiver got the result.
    fileprivate var isDone: Bool { whenDone == nil }

    /// Ends the opening. A descriptor that a thread opens later is closed.
    func cancel() {
        // Released when this returns, as its deinit may be user code.
        let released = whenDone
        whenDone = nil
        hold = nil
        call?.cancel()
        call = nil
        pause?.cancel(on: loop)
        pause = nil
        if let readiness { loop.cancel(readiness) }
        readiness = nil
        pipe?.close()
        pipe = nil
        withExtendedLifetime(released) {}
    }

    fileprivate func begin() {
        if path.containsNUL { return finish(.failure(SystemError(code: EINVAL, operation: "open"))) }
        let attempt = FileOpening.attempt(path, flags, permissions: permissions, on: loop.backend)
        if case .wouldWait = attempt { return beginOffLoop() }
        settle(attempt)
    }

    private func beginOffLoop() {
        let (path, flags, permissions, hold) = (path, flags, permissions, hold)
        call = BlockingCall(on: loop, in: loop.configuration.files) {
            FileOpening.attempt(path, flags, permissions: permissions, on: nil)
        } release: { attempt in
            if case .opened(let fd, _, _) = attempt { _ = Glibc.close(fd) }
            withExtendedLifetime(hold) {}
        } whenDone: { [self] result in
            call = nil
            switch result {
            case .failure(let error): beginWithoutThread(error)
            case .success(let attempt): settle(attempt)
            }
        }
    }

    /// Opens what is in the kernel's memory on the loop, whatever file system it is on, as the system has no thread for it.
    private func beginWithoutThread(_ error: SystemError) {
        let attempt = FileOpening.attempt(path, flags, permissions: permissions, on: loop.backend, trusting: true)
        if case .wouldWait = attempt { return finish(.failure(error)) }
        settle(attempt)
    }

    private func settle(_ attempt: Attempt) {
        switch attempt {
        case .failed(let code): finish(.failure(SystemError(code: code, operation: "open")))
        case .opened(let fd, let blocking, awaitsWriter: false):
            finish(.success(Descriptor(fd, on: loop, blocking: blocking)))
        case .opened(let fd, _, awaitsWriter: true): awaitWriter(Descriptor(fd, on: loop))
        case .noReader, .wouldWait: tryAgainLater()
        }
    }

    /// Waits for input or the end of input: until a pipe has had a writer, it has neither.
    private func awaitWriter(_ pipe: Descriptor) {
        self.pipe = pipe
        let readiness = ReadinessOperation(pipe) { [self] result in
            self.readiness = nil
            guard let pipe = self.pipe else { return }
            self.pipe = nil
            if result >= 0 { return finish(.success(pipe)) }
            pipe.close()
            finish(.failure(SystemError(code: -result, operation: "open")))
        }
        self.readiness = readiness
        pipe.submit(readiness)
    }

    /// Tries again after a pause, since the pipe has no reader: the system does not report when that changes, except to a thread that
    /// waits in `open`. An abandoned thread would open the pipe some day, and its reader would see the end of an input that never began.
    private func tryAgainLater() {
        pause = DelayTimer(on: loop, after: pauseLength) { [self] in
            pause = nil
            begin()
        }
        pauseLength = min(2 * pauseLength, FileOpening.longestPause)
    }

    private func finish(_ result: Result<Descriptor, SystemError>) {
        guard let whenDone else { return }
        self.whenDone = nil
        hold = nil
        whenDone(result.mapError { $0.ioError(subject: path.description) })
    }
}

extension FileOpening {
    /// The outcome of one attempt.
    private enum Attempt {
        /// A pipe that was opened for reading may have no writer yet.
        case opened(CInt, Operation.Blocking, awaitsWriter: Bool)
        case failed(CInt)
        /// A pipe to be opened for writing has no reader.
        case noReader
        /// A thread that may wait has to make the attempt.
        case wouldWait
    }

    /// Opens a file, but does not wait for the other end of a pipe.
    ///
    /// - Parameters:
    ///   - backend: that of the loop, if the caller is its thread and must not be blocked; nil for a thread that may wait.
    ///   - trusting: true to open files of any file system on the loop.
    private static func attempt(
        _ path: File.Path, _ flags: CInt, permissions: UInt32, on backend: Backend?, trusting: Bool = false
    ) -> Attempt {
        let cached = backend != nil
        let isExclusive = flags & O_EXCL != 0
        let status: FileStatus?
        switch FileStatus.look(path, cached: cached) {
        case .success(let found): status = found
        case .failure(let error):
            if cached, error.code == EAGAIN { return .wouldWait }
            if error.code != ENOENT || flags & O_CREAT == 0 { return .failed(error.code) }
            status = nil
        }
        // The opening of a device may wait for anything, and may mean something else if it must not wait.
        let isDevice = status?.type == S_IFCHR || status?.type == S_IFBLK
        if let backend, !mayOpen(status, trusting, backend) { return .wouldWait }
        var flags = flags
        if let status, !isExclusive {
            // The kernel makes no file from memory alone. One that is there need not be made, and a pipe need not be emptied.
            if status.type == S_IFIFO { flags &= ~(O_CREAT | O_TRUNC) }
            if cached { flags &= ~O_CREAT }
        }
        var fd = rx_file_open(path.cString, isDevice ? flags : flags | O_NONBLOCK, permissions, cached)
        while fd == -EINTR {
            fd = rx_file_open(path.cString, isDevice ? flags : flags | O_NONBLOCK, permissions, cached)
        }
        // Another process has a lease on the file, and gets some time to give it up.
        if fd == -EAGAIN, !cached { fd = rx_file_open(path.cString, flags, permissions, false) }
        if fd == -EAGAIN, cached { return .wouldWait }
        // It has disappeared since the look.
        if fd == -ENOENT, cached { return .wouldWait }
        let isPipe = status?.type == S_IFIFO
        if fd == -ENXIO, isPipe { return .noReader }
        if fd < 0 { return .failed(-fd) }
        if !isDevice { _ = fcntl(fd, F_SETFL, flags) }
        let blocking =
            isPipe || isDevice || cached ? .arranged : LocalMounts.shared.blocking(of: fd)
        return .opened(fd, blocking, awaitsWriter: isPipe && flags & O_ACCMODE == O_RDONLY)
    }

    /// Tells whether the loop may open a file whose path is in the kernel's memory.
    private static func mayOpen(_ status: FileStatus?, _ isTrusted: Bool, _ backend: Backend) -> Bool {
        guard let status, status.type != S_IFCHR, status.type != S_IFBLK else { return false }
        return status.type == S_IFIFO || isTrusted
            || !backend.mayWaitForServer(!LocalMounts.shared.contains(status.mount))
    }
}

extension EventLoop {
    /// Opens a file without blocking the loop. Only on the loop thread.
    ///
    /// - Parameters:
    ///   - flags: as of `open`; `O_CLOEXEC` is added.
    ///   - hold: the hold of a write on its path, held as long as a thread may open the file.
    ///   - whenDone: receives the descriptor, or the error of `open` or `pthread_create`. Called before this returns if the file can be
    ///     opened without waiting, else later. Retained until then, or until `cancel`.
    /// - Returns: the opening under way, to be cancelled; nil if there is none. The caller then must not overwrite another one, which
    ///   `whenDone` may have begun.
    func open(
        _ path: File.Path, _ flags: CInt, permissions: UInt32 = 0, holding hold: WriteClaim.Hold? = nil,
        whenDone: @escaping (Result<Descriptor, IOError>) -> Void
    ) -> FileOpening? {
        let opening = FileOpening(
            path, flags, permissions: permissions, holding: hold, on: self, whenDone: whenDone)
        opening.begin()
        return opening.isDone ? nil : opening
    }
}
