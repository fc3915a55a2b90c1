// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// A new file that takes the name of another one when it is complete. Until then it has a name of its own in the same directory.
///
/// The directory stays open, and so the file stays in it even if the directory is renamed or the working directory changes.
///
/// Makes system calls that wait for a disk; used by one thread at a time.
final class FileReplacement {
    /// The open file, which the owner of this object closes.
    let fd: CInt
    private let directory: Directory
    private let subject: String
    private let name: File.Path
    private let temporaryName: File.Path
    private var isTemporary = true

    private static let mostLinks = 40
    private static let attempts = 100

    /// Creates the file, with the owner and the permissions of the file that has the name, if there is one.
    init(_ path: File.Path, permissions: UInt32) throws(IOError) {
        let subject = path.description
        self.subject = subject
        if path.isEmpty { throw IOError(code: ENOENT, operation: "open", subject: subject) }
        if path.containsNUL { throw IOError(code: EINVAL, operation: "open", subject: subject) }
        let target = try FileReplacement.resolve(path).splitAtLastSlash
        name = target.name
        directory = try Directory(target.directory, subject)
        if name.isEmpty { throw IOError(code: EISDIR, operation: "open", subject: subject) }
        let old = try FileReplacement.status(of: name, in: directory, subject)
        (fd, temporaryName) = try FileReplacement.create(
            in: directory, like: name, permissions: old == nil ? permissions : 0o600, subject)
        guard let old, let error = FileReplacement.adopt(old, fd) else { return }
        _ = Glibc.close(fd)
        discard()
        throw IOError(code: error, operation: "fchmod", subject: subject)
    }

    deinit { discard() }

    /// Gives the file its name, and puts the directory on the disk. Returns the error for which that is impossible.
    func commit() -> IOError? {
        if renameat(directory.fd, temporaryName.cString, directory.fd, name.cString) != 0 {
            return IOError(code: errno, operation: "rename", subject: subject)
        }
        isTemporary = false
        return directory.synchronize()
    }

    /// Removes the file unless it was committed.
    func discard() {
        if isTemporary { _ = unlinkat(directory.fd, temporaryName.cString, 0) }
        isTemporary = false
    }

    /// The path that symbolic links in the place of the file lead to.
    private static func resolve(_ path: File.Path) throws(IOError) -> File.Path {
        var current = path
        for _ in 0..<mostLinks {
            var status = stat()
            // A missing file is no link; another error comes again when the file is created.
            if lstat(current.cString, &status) != 0 || status.st_mode & S_IFMT != S_IFLNK { return current }
            guard let link = readLink(current) else {
                throw IOError(code: errno, operation: "open", subject: path.description)
            }
            let isAbsolute = link.first == UInt8(ascii: "/")
            current = File.Path(bytes: isAbsolute ? link : current.splitAtLastSlash.prefix.bytes + link)
        }
        throw IOError(code: ELOOP, operation: "open", subject: path.description)
    }

    private static func readLink(_ path: File.Path) -> [UInt8]? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
            let count = buffer.withMemoryRebound(to: CChar.self) { readlink(path.cString, $0.baseAddress!, $0.count) }
            return count < 0 ? nil : Array(buffer[..<count])
        }
    }

    /// The status of the file to be replaced, or nil if there is none.
    private static func status(
        of name: File.Path, in directory: borrowing Directory, _ subject: String
    ) throws(IOError) -> stat? {
        var old = stat()
        var code: CInt = 0
        if fstatat(directory.fd, name.cString, &old, 0) != 0 {
            if errno == ENOENT { return nil }
            code = errno
        } else if old.st_mode & S_IFMT != S_IFREG {
            code = old.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL
        } else {
            // The rename would succeed: it needs only the right to write to the directory.
            code = -rx_file_may_be_written(directory.fd, name.cString)
        }
        if code != 0 { throw IOError(code: code, operation: "open", subject: subject) }
        return old
    }

    private static func create(
        in directory: borrowing Directory, like name: File.Path, permissions: UInt32, _ subject: String
    ) throws(IOError) -> (CInt, File.Path) {
        for _ in 0..<attempts {
            let number = String(UInt64.random(in: 0 ... .max), radix: 36)
            let temporary = File.Path(bytes: ".".utf8 + name.bytes.prefix(200) + ".\(number).tmp".utf8)
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let fd = openat(directory.fd, temporary.cString, flags, mode_t(permissions))
            if fd >= 0 { return (fd, temporary) }
            if errno != EEXIST { break }
        }
        throw IOError(
            code: errno, operation: "open", subject: "\(subject) (a new file in \(directory.path))")
    }

    /// Gives a file the owner and the permissions of another one. Returns an errno if the permissions cannot be kept.
    private static func adopt(_ old: stat, _ fd: CInt) -> CInt? {
        var mode = old.st_mode & 0o7777
        var new = stat()
        _ = fstat(fd, &new)
        if new.st_uid != old.st_uid || new.st_gid != old.st_gid, fchown(fd, old.st_uid, old.st_gid) != 0 {
            // Another owner's rights must not become rights of this user.
            mode &= 0o1777
            _ = fchown(fd, .max, old.st_gid)
        }
        return fchmod(fd, mode) == 0 ? nil : errno
    }
}

/// An open directory; its deinit closes it.
private struct Directory: ~Copyable {
    let path: File.Path
    private let descriptor: OwnedDescriptor

    var fd: CInt { descriptor.fd }

    init(_ path: File.Path, _ subject: String) throws(IOError) {
        let fd = open(path.cString, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if fd < 0 { throw IOError(code: errno, operation: "open", subject: subject) }
        descriptor = OwnedDescriptor(fd)
        self.path = path
    }

    /// Puts it on the disk. Returns the error for which that is impossible.
    func synchronize() -> IOError? {
        while fsync(fd) != 0 {
            // EINVAL: the file system has nothing to do for a directory.
            if errno == EINVAL { return nil }
            if errno != EINTR { return IOError(code: errno, operation: "fsync", subject: path.description) }
        }
        return nil
    }
}
