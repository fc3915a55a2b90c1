// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The descriptors of the standard streams.
///
/// In a program that was started without one of them, the next socket would get its number. Then the peer of that socket receives what the program
/// prints, and a reader of the standard input takes bytes that belong to the loop.
enum StandardDescriptors {
    /// Opens `/dev/null` under the numbers of those that are closed.
    ///
    /// Each loop asks anew: during one call another thread may hold a number for a moment, as the C library does while it counts the processors.
    static func reserve() {
        for number in STDIN_FILENO...STDERR_FILENO { reserve(number) }
    }

    /// Opens `/dev/null` under a number that is free, as it is then without the mark that closes it for other programs.
    static func reserve(_ number: CInt) {
        if fcntl(number, F_GETFD) >= 0 { return }
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        if null < 0 { return }
        if null == number {
            _ = fcntl(number, F_SETFD, 0)
            return
        }
        // Not `dup2`, which would replace what another thread has opened meanwhile.
        let copy = fcntl(null, F_DUPFD, number)
        if copy >= 0, copy != number { close(copy) }
        close(null)
    }
}
