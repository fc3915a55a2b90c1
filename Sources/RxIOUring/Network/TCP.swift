// SPDX-License-Identifier: Apache-2.0

import Glibc
public import RxSwift

/// TCP: servers and clients.
///
/// Their streams fail when the event loop is shut down: see `IOError.code` before you `retry`.
public enum TCP {
    /// Opens a port for connections.
    ///
    /// The port is free again when `Listener.connections` has completed. With io_uring the kernel needs some 15 ms more behind a process that was
    /// killed: a server that is restarted at once tries again, or sets `reusePort`.
    ///
    /// - Parameters:
    ///   - host: the IP address to listen on (`0.0.0.0` or `::` for all), or `localhost`.
    ///   - port: 0...65535; for 0 the system chooses, see `Listener.address`.
    ///   - backlog: the number of connections that may wait to be accepted.
    ///   - reusePort: whether several listeners may share the port, among which the kernel spreads connections
    ///     (`SO_REUSEPORT`).
    ///   - socket: the behaviour of the listening socket.
    ///   - options: the behaviour of the connections.
    ///   - connectionSchedulers: event loops on which the connections live, in turns; nil for that of the listener.
    ///   - scheduler: the event loop that accepts.
    /// - Throws: `IOError` (`listen`, `bind`), `EADDRINUSE` if the port is in use; (`address`) if the host is no IP address. Not if the event loop could
    ///   not start, or has ended: `Listener.connections` fails then.
    public static func listener(
        host: String = "127.0.0.1", port: Int, backlog: Int = 1_024, reusePort: Bool = false,
        socket: ListenerOptions = ListenerOptions(), options: ConnectionOptions = ConnectionOptions(),
        connectionSchedulers: IOUringSchedulerGroup? = nil, scheduler: IOUringScheduler
    ) throws -> Listener {
        let address = try Socket.numeric(host, port)
        let fd = try Socket.open(address, SOCK_STREAM, operation: "listen") { fd in
            Socket.set(fd, SOL_SOCKET, SO_REUSEADDR, 1)
            if reusePort { Socket.set(fd, SOL_SOCKET, SO_REUSEPORT, 1) }
            // Connections inherit the sizes; the peer would not be told of sizes that are set later.
            Socket.applyBuffers(options, to: fd)
            if let only = socket.ipv6Only, address.family == AF_INET6 {
                Socket.set(fd, CInt(IPPROTO_IPV6), IPV6_V6ONLY, only ? 1 : 0)
            }
            try socket.prepareSocket?(fd)
            try Socket.bind(fd, address)
            try Socket.listen(fd, backlog, address)
        }
        return Listener(
            fd, asked: address, options: options, connectionSchedulers: connectionSchedulers, scheduler: scheduler)
    }

    /// Opens a port for connections on each loop of a group: the kernel spreads them (`SO_REUSEPORT`), and each lives on the loop that accepts it.
    ///
    /// So no loop hands connections to others. Those that wait on a loop that is busy are not accepted by the others. Each listener is to be
    /// subscribed to: connections of one that is not wait in vain. Parameters as of `listener`.
    /// - Throws: as `listener` does; then none is open.
    /// - Returns: a listener for each loop, in the order of `schedulers`, all on the same port.
    public static func listeners(
        host: String = "127.0.0.1", port: Int, backlog: Int = 1_024, socket: ListenerOptions = ListenerOptions(),
        options: ConnectionOptions = ConnectionOptions(), schedulers: IOUringSchedulerGroup
    ) throws -> [Listener] {
        var made: [Listener] = []
        do {
            for scheduler in schedulers.schedulers {
                made.append(
                    try listener(
                        host: host, port: made.first?.address.port ?? port, backlog: backlog, reusePort: true,
                        socket: socket, options: options, scheduler: scheduler))
            }
        } catch {
            for listener in made { listener.close() }
            throw error
        }
        return made
    }

    /// Connections to a port, opened at each subscription.
    ///
    /// The port is opened within `subscribe`, and closed after the terminal event or a dispose. Parameters as of `listener`. Emits on the thread of
    /// `scheduler`, errors, too; a connection that is neither held nor observed is closed.
    /// - Returns: never completes. Fails with an `IOError` (`address`, `listen`, `bind`, `accept`).
    public static func listen(
        host: String = "127.0.0.1", port: Int, backlog: Int = 1_024, reusePort: Bool = false,
        socket: ListenerOptions = ListenerOptions(), options: ConnectionOptions = ConnectionOptions(),
        connectionSchedulers: IOUringSchedulerGroup? = nil, scheduler: IOUringScheduler
    ) -> Observable<Connection> {
        .deferred {
            do {
                return try listener(
                    host: host, port: port, backlog: backlog, reusePort: reusePort, socket: socket, options: options,
                    connectionSchedulers: connectionSchedulers, scheduler: scheduler
                ).connections
            } catch {
                return scheduler.failure(error)
            }
        }
    }

    /// Connects to a host at each subscription: resolves its name, and tries its addresses.
    ///
    /// The addresses are tried in the resolver's order, IPv4 and IPv6 in turns ("Happy Eyeballs",
    /// [RFC 8305](https://www.rfc-editor.org/rfc/rfc8305)): the next attempt begins when one has failed, or after
    /// `ConnectionOptions.attemptDelay` (250 ms) without an answer. The first connection is emitted, and the other attempts are closed.
    /// - Parameters:
    ///   - host: a name or an IP address.
    ///   - port: 1...65535.
    ///   - timeout: the limit for resolving and connecting together; nil for as long as the system tries.
    ///   - options: the behaviour of the connection.
    ///   - scheduler: the event loop on which the connection lives and is emitted.
    /// - Returns: fails with an `IOError` (`resolve`, `pthread_create`, `connect`) when all addresses have failed: that of the address whose
    ///   error tells most, with the others in its `subject`; `ETIMEDOUT` after the timeout, of `resolve` if no address was known by then.
    public static func connect(
        host: String, port: Int, timeout: RxTimeInterval? = nil, options: ConnectionOptions = ConnectionOptions(),
        scheduler: IOUringScheduler
    ) -> Single<Connection> {
        ConnectSource.single(.host(host, port), timeout, options, scheduler)
    }

    /// Connects to an address at each subscription. See `connect(host:port:)`.
    public static func connect(
        to address: SocketAddress, timeout: RxTimeInterval? = nil, options: ConnectionOptions = ConnectionOptions(),
        scheduler: IOUringScheduler
    ) -> Single<Connection> {
        ConnectSource.single(.address(address), timeout, options, scheduler)
    }
}
