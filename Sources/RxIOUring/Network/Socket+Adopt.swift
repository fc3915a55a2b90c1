// SPDX-License-Identifier: Apache-2.0

import Glibc

extension Socket {
    /// Returns the address of a descriptor that was given to the program, if it is a socket that listens for connections, or a connected one.
    ///
    /// - Throws: `IOError` (`adopt`): `EBADF` if nothing is open, `ENOTSOCK`, `EPROTOTYPE` if it is no stream, `EAFNOSUPPORT` if its
    ///   family is none of this library, `EINVAL` if it does not listen, or does where a connection is wanted, `ENOTCONN`.
    static func inspect(_ fd: CInt, listens: Bool) throws -> SocketAddress {
        func failure(_ code: CInt) -> IOError { IOError(code: code, operation: "adopt", subject: "descriptor \(fd)") }
        func option(_ name: CInt) throws -> CInt {
            var value: CInt = 0
            var size = socklen_t(MemoryLayout<CInt>.size)
            if getsockopt(fd, SOL_SOCKET, name, &value, &size) != 0 { throw failure(errno) }
            return value
        }
        if try option(SO_TYPE) != CInt(SOCK_STREAM.rawValue) { throw failure(EPROTOTYPE) }
        if try (option(SO_ACCEPTCONN) != 0) != listens { throw failure(EINVAL) }
        guard let address = localAddress(fd) else { throw failure(EAFNOSUPPORT) }
        if !listens, remoteAddress(fd) == nil { throw failure(ENOTCONN) }
        // A program that is run must not inherit it.
        let flags = fcntl(fd, F_GETFD)
        if flags < 0 || fcntl(fd, F_SETFD, flags | FD_CLOEXEC) != 0 { throw failure(errno) }
        return address
    }
}
