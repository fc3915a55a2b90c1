// SPDX-License-Identifier: Apache-2.0

import Glibc
public import RxSwift

/// Unix sockets: servers and clients on one machine, addressed by a path.
public enum Unix {
    /// Makes a socket at a path, for connections.
    ///
    /// The file is removed when the listener is closed, also if the path leads elsewhere by then, unless it was replaced by another one meanwhile; not by
    /// a forked child. An existing file is an error, even if no socket listens there any more: the program has to decide whether to remove it.
    /// On a mount whose server does not answer, this call waits for it, and the file is removed some time after the close.
    /// Holds a descriptor of the folder besides the socket.
    /// For a path that is not valid UTF-8 there is `listener(at:)` with `SocketAddress(unixPath:)`.
    /// - Parameters: as of `TCP.listener`.
    /// - Throws: `IOError` (`listen`, `open` for the folder, `bind`, `chmod`), `EADDRINUSE` if there is a file; (`address`), `ENAMETOOLONG` if the path is too
    ///   long for a socket.
    public static func listener(
        path: String, backlog: Int = 1_024, socket: ListenerOptions = ListenerOptions(),
        options: ConnectionOptions = ConnectionOptions(), connectionSchedulers: IOUringSchedulerGroup? = nil,
        scheduler: IOUringScheduler
    ) throws -> Listener {
        try listener(
            at: SocketAddress(unixPath: path), backlog: backlog, socket: socket, options: options,
            connectionSchedulers: connectionSchedulers, scheduler: scheduler)
    }

    /// Makes a socket at a Unix address, for connections.
    ///
    /// The address may be in no file system. See `listener(path:)`.
    /// - Throws: as `listener(path:)`; `EAFNOSUPPORT` (`listen`) for an IP address.
    public static func listener(
        at address: SocketAddress, backlog: Int = 1_024, socket: ListenerOptions = ListenerOptions(),
        options: ConnectionOptions = ConnectionOptions(), connectionSchedulers: IOUringSchedulerGroup? = nil,
        scheduler: IOUringScheduler
    ) throws -> Listener {
        guard address.family == AF_UNIX else {
            throw IOError(code: EAFNOSUPPORT, operation: "listen", subject: "\(address)")
        }
        let file = try SocketFile(of: address)
        let fd = try Socket.open(address, SOCK_STREAM, operation: "listen") { fd in
            // Before the name exists, so that the file never has more permissions; after that, those that the mask took.
            if let mode = socket.fileMode { fchmod(fd, mode) }
            try socket.prepareSocket?(fd)
            try Socket.bind(fd, address)
            file?.bound()
            do {
                if let mode = socket.fileMode { try file?.allow(mode, address) }
                try Socket.listen(fd, backlog, address)
            } catch {
                file?.remove()
                throw error
            }
        }
        return Listener(
            fd, asked: address, options: options, connectionSchedulers: connectionSchedulers,
            scheduler: scheduler, file: file)
    }

    /// Connects to the socket at a path, at each subscription.
    ///
    /// Waits for room until the timeout if the listener's queue is full. For a path that is not valid UTF-8 there is `TCP.connect(to:)` with
    /// `SocketAddress(unixPath:)`.
    /// - Returns: fails with an `IOError` (`connect`): `ENOENT` if there is no file, `ECONNREFUSED` if no socket listens there,
    ///   `ETIMEDOUT`; (`address`) `ENAMETOOLONG` if the path is too long for a socket.
    public static func connect(
        path: String, timeout: RxTimeInterval? = nil, options: ConnectionOptions = ConnectionOptions(),
        scheduler: IOUringScheduler
    ) -> Single<Connection> {
        do {
            return TCP.connect(
                to: try SocketAddress(unixPath: path), timeout: timeout, options: options, scheduler: scheduler)
        } catch {
            return Single(raw: scheduler.failure(error))
        }
    }
}
