// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// An open file descriptor without operations so far; its deinit closes it.
struct OwnedDescriptor: ~Copyable {
    let fd: CInt

    init(_ fd: CInt) { self.fd = fd }

    /// Duplicates a descriptor, with close-on-exec. Returns nil and sets `error` to an errno if that fails.
    static func duplicate(of fd: CInt, error: inout CInt) -> OwnedDescriptor? {
        let copy = rx_duplicate(fd)
        if copy >= 0 { return OwnedDescriptor(copy) }
        error = -copy
        return nil
    }

    /// Gives up ownership of the descriptor, and returns its number.
    consuming func take() -> CInt {
        let fd = fd
        discard self
        return fd
    }

    deinit { _ = Glibc.close(fd) }
}
