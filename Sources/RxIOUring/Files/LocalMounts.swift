// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives

/// The mounts that wait for the kernel and its disks only, as far as they are known.
///
/// On any other, of a server on the network or of a process (FUSE), even the opening of a file in the kernel's memory waits for an answer, and so may
/// a read that was told not to wait.
///
/// Threads: any.
final class LocalMounts: @unchecked Sendable {
    static let shared = LocalMounts()

    private let lock = Mutex()
    /// Under the lock.
    @exclusivity(unchecked) private var known: Set<FileStatus.Mount> = []

    /// Those that are gone are in the set, too: beyond this number they begin anew.
    private static let mostKnown = 1_024

    /// True if a mount is known to be local. Does not wait.
    func contains(_ mount: FileStatus.Mount) -> Bool { lock.withLock { known.contains(mount) } }

    /// The behaviour of a file that was just opened. May wait for a server.
    func blocking(of fd: CInt) -> Operation.Blocking { isLocal(fd) ? .arranged : .server }

    private func isLocal(_ fd: CInt) -> Bool {
        var status = rx_file_status()
        if rx_file_status_of(fd, &status) != 0 { return false }
        let mount = FileStatus(status).mount
        if contains(mount) { return true }
        if !rx_file_system_is_local(fd) { return false }
        lock.withLock {
            if known.count >= LocalMounts.mostKnown { known = [] }
            _ = known.insert(mount)
        }
        return true
    }
}

extension File.Path {
    /// True if the kernel finds the file in its memory, on a mount that is known to be local. Does not wait.
    var isKnownLocal: Bool {
        guard case .success(let status) = FileStatus.look(self, cached: true) else { return false }
        return LocalMounts.shared.contains(status.mount)
    }

    /// Makes the mount of the file known, if it is local. May wait for a server.
    func learnMount() {
        let fd = rx_file_name(AT_FDCWD, cString, true)
        if fd < 0 { return }
        _ = LocalMounts.shared.blocking(of: fd)
        _ = close(fd)
    }
}
