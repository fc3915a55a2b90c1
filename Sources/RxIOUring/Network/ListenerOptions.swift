// SPDX-License-Identifier: Apache-2.0

/// The behaviour of a listening socket.
public struct ListenerOptions: Sendable {
    /// Indicates whether a listener on an IPv6 address rejects IPv4 peers (`IPV6_V6ONLY`); nil, the default, for the system's choice.
    ///
    /// A listener on `::` with `false` has the peers of both, and with `true` leaves the port of `0.0.0.0` to another one. Ignored on other
    /// addresses.
    public var ipv6Only: Bool?

    /// The permissions of a Unix socket's file, such as `0o660`, at most `0o777`; nil, the default, for those that the process's mask leaves.
    ///
    /// They are in force before a peer can connect, who needs the permission to write. Ignored where there is no file.
    public var fileMode: UInt32? {
        didSet {
            if let fileMode, fileMode > 0o777 {
                fatalError(
                    "ListenerOptions.fileMode: argument must be at most 0o777, not 0o\(String(fileMode, radix: 8))")
            }
        }
    }

    /// Sets options of the socket that this library does not know; nil, the default, sets none.
    ///
    /// Called with the descriptor before it is bound, on the thread that makes the listener. It must not close the descriptor. Connections
    /// inherit most options. An error that it throws is thrown by the function that makes the listener.
    public var prepareSocket: (@Sendable (_ descriptor: CInt) throws -> Void)?

    /// Options that leave everything to the system.
    public init() {}
}
