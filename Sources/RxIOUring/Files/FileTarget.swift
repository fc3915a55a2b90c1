import Glibc

/// A file to be written, before it is open.
struct FileTarget {
    let path: String
    let mode: File.WriteMode
    let permissions: UInt32

    /// A file that was just opened, or its replacement.
    struct Opened {
        let fd: CInt
        let layout: FileOutput.Layout
        var replacement: FileReplacement?
    }

    /// Opens the file. Called on the loop thread.
    func open() throws(IOError) -> Opened {
        if mode == .replaceAtomically {
            let replacement = try FileReplacement(path, permissions: permissions)
            return Opened(fd: replacement.fd, layout: .positions(end: 0), replacement: replacement)
        }
        return try FileTarget.open(path, mode.flags, permissions: permissions)
    }

    static func open(_ path: String, _ flags: CInt, permissions: UInt32) throws(IOError) -> Opened {
        let fd = openPath(path, flags, permissions: permissions)
        if fd < 0 { throw IOError(code: errno, operation: "open", subject: path) }
        return Opened(fd: fd, layout: layout(of: fd, flags))
    }

    private static func layout(of fd: CInt, _ flags: CInt) -> FileOutput.Layout {
        var status = stat()
        // This cannot fail for an open descriptor.
        _ = fstat(fd, &status)
        if status.st_mode & S_IFMT != S_IFREG { return .stream }
        return flags & O_APPEND != 0 ? .appending : .positions(end: Int64(status.st_size))
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
