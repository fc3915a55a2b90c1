// SPDX-License-Identifier: Apache-2.0

import CRxIOUring

extension IOUringScheduler.Backend {
    /// The backends that were compiled in: epoll, and io_uring with the package's trait `LIBURING`.
    ///
    /// `IOUringScheduler.backend` tells which of them a loop has: the kernel may lack io_uring, or forbid it.
    public static var built: [IOUringScheduler.Backend] { rx_ring_is_built() ? allCases : [.epoll] }
}
