import Glibc

/// Sockets as the system makes them, on any thread.
enum Socket {
    /// Opens a socket, with close-on-exec. `prepare` may set options; if it throws, the socket is closed again.
    static func open(
        _ address: SocketAddress, _ type: __socket_type, operation: String, prepare: (CInt) throws -> Void
    ) throws -> CInt {
        let number = socket(address.family, CInt(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if number < 0 { throw IOError(code: errno, operation: operation, subject: "\(address)") }
        do {
            try prepare(number)
            return number
        } catch {
            _ = Glibc.close(number)
            throw error
        }
    }

    static func bind(_ number: CInt, _ address: SocketAddress) throws {
        if address.withSocketAddress({ Glibc.bind(number, $0, $1) }) != 0 {
            throw IOError(code: errno, operation: "bind", subject: "\(address)")
        }
    }

    static func localAddress(_ number: CInt) -> SocketAddress? {
        SocketAddress.reported { getsockname(number, $0, $1) }
    }

    static func remoteAddress(_ number: CInt) -> SocketAddress? {
        SocketAddress.reported { getpeername(number, $0, $1) }
    }

    /// Sets an option, and ignores its rejection by the kernel: the options set here are not essential.
    static func set(_ number: CInt, _ level: CInt, _ name: CInt, _ value: Int) {
        var value = CInt(clamping: value)
        _ = setsockopt(number, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
    }

    static func apply(_ options: ConnectionOptions, to number: CInt, family: CInt) {
        if options.noDelay, family != AF_UNIX { set(number, CInt(IPPROTO_TCP), TCP_NODELAY, 1) }
        applyBuffers(options, to: number)
    }

    static func applyBuffers(_ options: ConnectionOptions, to number: CInt) {
        if let size = options.sendBufferSize { set(number, SOL_SOCKET, SO_SNDBUF, size) }
        if let size = options.receiveBufferSize { set(number, SOL_SOCKET, SO_RCVBUF, size) }
    }

    /// The address to bind to, for an IP address as text or `localhost`.
    static func numeric(_ host: String, _ port: Int) throws -> SocketAddress {
        try SocketAddress(ip: host == "localhost" ? "127.0.0.1" : host, port: port)
    }
}
