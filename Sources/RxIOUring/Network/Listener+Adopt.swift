// SPDX-License-Identifier: Apache-2.0

extension Listener {
    /// Takes over a socket that listens, such as one that a service manager has opened: see `InheritedSocket`.
    ///
    /// If it fits, the listener owns the descriptor, closes it, and closes it in programs that are run; it is made non-blocking, for other processes
    /// that share it, too. If not, it stays the caller's. The file of a Unix socket stays where it is.
    /// - Parameters:
    ///   - descriptor: a listening socket of TCP or of the Unix family.
    ///   - options: the behaviour of the connections.
    ///   - connectionSchedulers: event loops on which the connections live, in turns; nil for that of the listener.
    ///   - scheduler: the event loop that accepts.
    /// - Throws: `IOError` (`adopt`): `EBADF`, `ENOTSOCK`, `EPROTOTYPE` if it is no stream, `EAFNOSUPPORT`, `EINVAL` if it does not listen.
    public static func adopt(
        _ descriptor: CInt, options: ConnectionOptions = ConnectionOptions(),
        connectionSchedulers: IOUringSchedulerGroup? = nil, scheduler: IOUringScheduler
    ) throws -> Listener {
        let address = try Socket.inspect(descriptor, listens: true)
        return Listener(
            descriptor, asked: address, options: options, connectionSchedulers: connectionSchedulers,
            scheduler: scheduler)
    }
}
