// SPDX-License-Identifier: Apache-2.0

import Glibc

/// UDP: messages that may be lost, duplicated or reordered.
///
/// `received` fails when the event loop is shut down: see `IOError.code` before you `retry`.
public enum UDP {
    /// Makes a socket for datagrams.
    ///
    /// - Parameters:
    ///   - host: the IP address to receive on (`0.0.0.0` or `::` for all), or `localhost`.
    ///   - port: 0...65535; for 0 the system chooses, see `UDPSocket.address`.
    ///   - reusePort: whether several sockets may share the port (`SO_REUSEPORT`).
    ///   - maximumLength: the most bytes of a datagram that are received, at least 1; the rest of a longer one is lost. No datagram has more than 65,535.
    ///   - window: the number of received datagrams whose memory is kept for reuse, at least 1.
    ///   - sendLimit: the memory in bytes, from 0 to 1 GiB, that queued datagrams may take, each with 128 bytes besides its own. A `send` that finds others queued
    ///     and does not fit beside them is rejected.
    ///   - scheduler: the event loop that the socket lives on.
    /// - Throws: `IOError` (`bind`), `EADDRINUSE` if the port is in use; (`address`) if the host is no IP address.
    public static func bind(
        host: String = "127.0.0.1", port: Int, reusePort: Bool = false, maximumLength: Int = 2_048, window: Int = 64,
        sendLimit: Int = 1 << 20, scheduler: IOUringScheduler
    ) throws -> UDPSocket {
        try bind(
            host: host, port: port, reusePort: reusePort, maximumLength: maximumLength, window: window,
            sendLimit: sendLimit, prepareSocket: { _ in }, scheduler: scheduler)
    }

    /// Makes a socket for datagrams with options that this library does not know, such as `SO_BROADCAST`, `SO_RCVBUF` or a multicast group.
    ///
    /// - Parameters:
    ///   - host: the IP address to receive on (`0.0.0.0` or `::` for all), or `localhost`.
    ///   - port: 0...65535; for 0 the system chooses, see `UDPSocket.address`.
    ///   - reusePort: whether several sockets may share the port (`SO_REUSEPORT`).
    ///   - maximumLength: the most bytes of a datagram that are received, at least 1; the rest of a longer one is lost.
    ///   - window: the number of received datagrams whose memory is kept for reuse, at least 1.
    ///   - sendLimit: the memory in bytes, from 0 to 1 GiB, that queued datagrams may take, each with 128 bytes besides its own. A `send` that finds others queued
    ///     and does not fit beside them is rejected.
    ///   - prepareSocket: sets the options; called at once, with the descriptor before it is bound, which it must not close.
    ///   - scheduler: the event loop that the socket lives on.
    /// - Throws: `IOError` (`bind`), `EADDRINUSE` if the port is in use; (`address`) if the host is no IP address; what `prepareSocket` throws.
    public static func bind(
        host: String = "127.0.0.1", port: Int, reusePort: Bool = false, maximumLength: Int = 2_048, window: Int = 64,
        sendLimit: Int = 1 << 20, prepareSocket: (_ descriptor: CInt) throws -> Void, scheduler: IOUringScheduler
    ) throws -> UDPSocket {
        if maximumLength <= 0 { fatalError("UDP.bind: the maximum length has to be positive, is \(maximumLength)") }
        if window <= 0 { fatalError("UDP.bind: the window has to be at least 1, is \(window)") }
        if sendLimit < 0 { fatalError("UDP.bind: a send limit cannot be negative, is \(sendLimit)") }
        let address = try Socket.numeric(host, port)
        let fd = try Socket.open(address, SOCK_DGRAM, operation: "bind") { fd in
            if reusePort { Socket.set(fd, SOL_SOCKET, SO_REUSEPORT, 1) }
            try prepareSocket(fd)
            try Socket.bind(fd, address)
        }
        return UDPSocket(
            fd, asked: address, pool: BytePool(size: min(maximumLength, 65_535), window: window), sendLimit: sendLimit,
            scheduler: scheduler)
    }
}
