// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// A copy of an open descriptor, for a thread that may wait for a server. Threads: any.
///
/// Its deinit has a thread close it, as the server may have to answer that, too.
final class DescriptorCopy: Sendable {
    let fd: CInt
    private let pool: BlockingPool

    /// Throws an error if this process has no descriptor left.
    init(of fd: CInt, closedIn pool: BlockingPool) throws(SystemError) {
        let copy = rx_duplicate(fd)
        if copy < 0 { throw SystemError(code: -copy, operation: "fcntl") }
        self.fd = copy
        self.pool = pool
    }

    deinit {
        let task = ClosureTask { [fd] in _ = Glibc.close(fd) }
        if case .rejected = pool.submit(task) { task.run() }
    }
}
