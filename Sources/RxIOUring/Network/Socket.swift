// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxSwift

/// Sockets as the system makes them, on any thread.
enum Socket {
    /// Opens a socket, with close-on-exec. `prepare` may set options; if it throws, the socket is closed again.
    static func open(
        _ address: SocketAddress, _ type: __socket_type, operation: String, prepare: (CInt) throws -> Void
    ) throws -> CInt {
        let fd = socket(address.family, CInt(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if fd < 0 { throw IOError(code: errno, operation: operation, subject: "\(address)") }
        do {
            try prepare(fd)
            return fd
        } catch {
            _ = Glibc.close(fd)
            throw error
        }
    }

    static func bind(_ fd: CInt, _ address: SocketAddress) throws {
        if address.withSocketAddress({ Glibc.bind(fd, $0, $1) }) != 0 {
            throw IOError(code: errno, operation: "bind", subject: "\(address)")
        }
    }

    static func listen(_ fd: CInt, _ backlog: Int, _ address: SocketAddress) throws {
        if Glibc.listen(fd, CInt(clamping: backlog)) != 0 {
            throw IOError(code: errno, operation: "listen", subject: "\(address)")
        }
    }

    /// Accepts a connection: its descriptor, or a negated errno, and its peer.
    ///
    /// The peer comes with the connection, as a socket that was reset by now has none to ask for.
    static func accept(_ listener: CInt) -> (fd: CInt, remote: SocketAddress) {
        var fd: CInt = 0
        let remote = SocketAddress.reported { peer, length in
            fd = rx_accept(listener, peer, length, CInt(SOCK_CLOEXEC.rawValue))
            return min(fd, 0)
        }
        return (fd, remote ?? SocketAddress(.unix([])))
    }

    static func localAddress(_ fd: CInt) -> SocketAddress? {
        SocketAddress.reported { getsockname(fd, $0, $1) }
    }

    static func remoteAddress(_ fd: CInt) -> SocketAddress? {
        SocketAddress.reported { getpeername(fd, $0, $1) }
    }

    /// Sets an option, and ignores its rejection by the kernel: the options set here are not essential.
    static func set(_ fd: CInt, _ level: CInt, _ name: CInt, _ value: Int) {
        var value = CInt(clamping: value)
        _ = setsockopt(fd, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
    }

    /// Returns the error of a broken socket, which the system then forgets; 0 if there is none.
    static func takeError(_ fd: CInt) -> CInt {
        var error: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : 0
    }

    /// True if bytes wait to be received.
    static func hasInput(_ fd: CInt) -> Bool {
        var byte: UInt8 = 0
        return recv(fd, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) > 0
    }

    /// True if a reset would drop bytes that the kernel has taken: the peer's has not acknowledged them. Never of a Unix socket, which has no reset.
    static func isUnacknowledged(_ fd: CInt) -> Bool {
        var family = AF_UNIX
        var length = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &length) == 0, family != AF_UNIX else { return false }
        return untakenBytes(fd) > 0
    }

    /// The number of bytes that the kernel has and the peer's has not acknowledged. Of a Unix socket the memory of those that the peer has not read.
    static func untakenBytes(_ fd: CInt) -> Int {
        var count: CInt = 0
        return ioctl(fd, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// Makes the close of a TCP socket a reset, which drops what the kernel has not sent.
    static func resetWhenClosed(_ fd: CInt) {
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(fd, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    static func apply(_ options: ConnectionOptions, to fd: CInt, family: CInt) {
        applyBuffers(options, to: fd)
        if family == AF_UNIX { return }
        let level = CInt(IPPROTO_TCP)
        if options.noDelay { set(fd, level, TCP_NODELAY, 1) }
        if let probes = options.keepAlive {
            set(fd, level, TCP_KEEPIDLE, probes.idle)
            set(fd, level, TCP_KEEPINTVL, probes.interval)
            set(fd, level, TCP_KEEPCNT, probes.count)
            set(fd, SOL_SOCKET, SO_KEEPALIVE, 1)
        }
        if let time = options.userTimeout {
            set(fd, level, TCP_USER_TIMEOUT, Int(time.nanosecondsClamped / 1_000_000 + 1))
        }
    }

    static func applyBuffers(_ options: ConnectionOptions, to fd: CInt) {
        if let size = options.sendBufferSize { set(fd, SOL_SOCKET, SO_SNDBUF, size) }
        if let size = options.receiveBufferSize { set(fd, SOL_SOCKET, SO_RCVBUF, size) }
    }

    /// The address to bind to, for an IP address as text or `localhost`.
    static func numeric(_ host: String, _ port: Int) throws -> SocketAddress {
        try SocketAddress(ip: host == "localhost" ? "127.0.0.1" : host, port: port)
    }
}
