// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The process that connected a Unix socket, or listened on it, at that moment (`SO_PEERCRED`).
public struct PeerCredentials: Sendable, Hashable {
    /// The number of the process; 0 if it has none in this process's namespace. The process may have ended since, and its number may be another's.
    public let processID: Int32

    /// The number of the user whose rights the process had.
    public let userID: UInt32

    /// The number of the group whose rights the process had.
    public let groupID: UInt32

    /// Asks the system about a connected Unix socket; nil if it has no answer.
    init?(of fd: CInt) {
        // The fields of `struct ucred`, which the C library hides from Swift.
        var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
        (processID, userID, groupID) = credentials
    }
}
