// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The removal of bytes behind the first missing one of a file, of which a write has failed beside others.
struct FileHole {
    let path: String
    /// The offset of the first missing byte, where the file is to end.
    let start: Int64
    /// Keeps others of this process from writing to the file until then.
    let hold: WriteClaim.Hold?

    /// Truncates the file. On a thread, if a server has to do so: then that may be later than the failure is told.
    func remove(from descriptor: Descriptor, on loop: EventLoop) {
        let pool = loop.configuration.files
        if descriptor.mayWaitForServer, let copy = try? DescriptorCopy(of: descriptor.fd, closedIn: pool) {
            let task = ClosureTask { truncate(copy.fd) }
            if case .rejected = pool.submit(task) { task.run() }
        } else {
            truncate(descriptor.fd)
        }
    }

    private func truncate(_ fd: CInt) {
        if ftruncate(fd, Int(start)) == 0 { return }
        IOHooks.report(
            "\(path): bytes are missing from \(start) on, and bytes behind them cannot be removed (errno \(errno))")
    }
}
