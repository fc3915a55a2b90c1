// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives

/// The file that a Unix socket was bound to.
///
/// Its folder is held open: the path may lead elsewhere when the file is removed, or through a mount that does not answer any more.
final class SocketFile: @unchecked Sendable {
    private let name: File.Path
    private let forks = rx_forks()
    /// The folder.
    private let directory: CInt

    /// The file's identity; 0 and 0 before `bound`.
    private var device: dev_t = 0
    private var number: ino_t = 0
    /// The file itself, so that no other one gets its number, if the removal may wait for a server and so be late; else -1.
    private var file: CInt = -1

    /// The file that a socket of this address will have; nil for an address in no file system. May wait for a server.
    ///
    /// Throws the error for which the folder cannot be opened. The socket is bound after this: its file could not be removed.
    init?(of address: SocketAddress) throws(IOError) {
        guard let path = address.filePath else { return nil }
        let (folder, _, name) = path.splitAtLastSlash
        self.name = name
        directory = rx_file_name(AT_FDCWD, folder.cString, true)
        if directory < 0 { throw IOError(code: -directory, operation: "open", subject: folder.description) }
    }

    deinit {
        if directory >= 0 { _ = close(directory) }
        if file >= 0 { _ = close(file) }
    }

    /// Finds the file of the socket, which was just bound. May wait for a server.
    func bound() {
        var status = stat()
        // Gone already: others have removed it.
        if fstatat(directory, name.cString, &status, AT_SYMLINK_NOFOLLOW) != 0 { return }
        (device, number) = (status.st_dev, status.st_ino)
        if LocalMounts.shared.blocking(of: directory) == .server {
            file = rx_file_name(directory, name.cString, false)
        }
    }

    /// Sets the permissions of the file.
    func allow(_ mode: mode_t, _ address: SocketAddress) throws {
        if fchmodat(directory, name.cString, mode, 0) != 0 {
            throw IOError(code: errno, operation: "chmod", subject: "\(address)")
        }
    }

    /// Removes the file, unless another one, of the next listener maybe, is there now. In a forked child it stays: the parent listens.
    ///
    /// Later, on a thread, if that may wait for a server.
    func remove() {
        if rx_forks() != forks { return }
        if file < 0 { return removeNow() }
        _ = startThread { self.removeNow() }
    }

    private func removeNow() {
        var status = stat()
        if fstatat(directory, name.cString, &status, AT_SYMLINK_NOFOLLOW) != 0 { return }
        if status.st_dev == device, status.st_ino == number { _ = unlinkat(directory, name.cString, 0) }
    }
}
