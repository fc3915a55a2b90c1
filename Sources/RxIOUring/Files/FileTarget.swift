// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file to be written, before it is open.
struct FileTarget {
    let path: File.Path
    let mode: File.WriteMode
    let permissions: UInt32

    /// A file that was just opened, or its replacement.
    struct Opened {
        let descriptor: Descriptor
        let layout: FileOutput.Layout
        var replacement: FileReplacement?
    }

    /// Opens the file without blocking the loop. Only on the loop thread.
    ///
    /// - Parameter hold: held by a thread that opens the file.
    /// - Returns: the opening, unless it has ended already. `whenDone` is called once, unless that is cancelled.
    func open(
        on loop: EventLoop, holding hold: WriteClaim.Hold?, whenDone: @escaping (Result<Opened, IOError>) -> Void
    ) -> TargetOpening? {
        if mode == .replaceAtomically {
            return TargetOpening.replacement(of: path, permissions: permissions, on: loop, whenDone: whenDone)
        }
        return FileTarget.open(
            path, mode.flags, permissions: permissions, on: loop, holding: hold, whenDone: whenDone)
    }

    /// Does the same with flags as of `open`.
    static func open(
        _ path: File.Path, _ flags: CInt, permissions: UInt32, on loop: EventLoop, holding hold: WriteClaim.Hold?,
        whenDone: @escaping (Result<Opened, IOError>) -> Void
    ) -> TargetOpening? {
        let opening = loop.open(path, flags, permissions: permissions, holding: hold) { result in
            whenDone(result.flatMap { opened($0, flags, path) })
        }
        return opening.map { TargetOpening($0.cancel) }
    }

    private static func opened(_ file: Descriptor, _ flags: CInt, _ path: File.Path) -> Result<Opened, IOError> {
        let status = FileStatus(of: file)
        // The system opens a directory to be read, and has no bytes of it.
        if status.type == S_IFDIR {
            file.close()
            return .failure(IOError(code: EISDIR, operation: "open", subject: path.description))
        }
        var layout = FileOutput.Layout.stream
        if status.isRegular { layout = flags & O_APPEND != 0 ? .appending : .positions(end: status.size) }
        return .success(Opened(descriptor: file, layout: layout))
    }
}

extension File.WriteMode {
    fileprivate var flags: CInt {
        switch self {
        case .replace, .replaceAtomically: O_WRONLY | O_CREAT | O_TRUNC
        case .append: O_WRONLY | O_CREAT | O_APPEND
        case .createNew: O_WRONLY | O_CREAT | O_EXCL
        }
    }
}
