// SPDX-License-Identifier: Apache-2.0

import CRxIOUring

extension IOUringScheduler {
    /// The kernel interface from which a loop gets its events.
    public enum Backend: String, Sendable, CaseIterable {
        /// io_uring: operations are submitted to the kernel in batches, and come back completed.
        case uring
        /// epoll: descriptors are watched, and read from and written to when they are ready.
        ///
        /// The loop reads the parts of a file that are in memory; helper threads, 32 for all loops, do other reads, writes and `fsync`.
        case epoll
    }
}

extension IOUringScheduler.Backend {
    /// The backends that were compiled in: epoll, and io_uring with the package's trait `LIBURING`.
    ///
    /// `IOUringScheduler.backend` tells which of them a loop has: the kernel may lack io_uring, or forbid it.
    public static var built: [IOUringScheduler.Backend] { rx_ring_is_built() ? allCases : [.epoll] }
}
