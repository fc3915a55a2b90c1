// SPDX-License-Identifier: Apache-2.0

import Glibc
public import RxSwift

/// A socket for datagrams.
///
/// Stays open as long as it is held or `received` is observed. Usable from any thread.
public final class UDPSocket: @unchecked Sendable, CustomStringConvertible {
    /// The address on which it receives, with the port that the system chose if none was asked for.
    public let address: SocketAddress

    /// The event loop that the socket lives on.
    public let scheduler: IOUringScheduler

    let core: UDPCore

    init(_ fd: CInt, asked: SocketAddress, pool: BytePool, sendLimit: Int, scheduler: IOUringScheduler) {
        address = Socket.localAddress(fd) ?? asked
        self.scheduler = scheduler
        core = UDPCore(
            fd, family: asked.family, subject: "\(address)", pool: pool, sendLimit: sendLimit, loop: scheduler.loop)
        core.start()
        scheduler.loop.slowDownIfBehind()
    }

    deinit { core.closeInOrder() }

    /// The text `UDPSocket(...)` with the address.
    public var description: String { "UDPSocket(\(address))" }

    /// The datagrams that arrive, on the thread of `scheduler`.
    ///
    /// Takes one subscriber at a time; a second one fails with an `IOError` of `EBUSY`, unless the first leaves within 60 ms. A datagram that comes before it has left is
    /// its own. While a stage below pauses the source, datagrams
    /// wait in the kernel, which drops those that it has no room for.
    /// - Returns: completes when the socket is closed. Fails with an `IOError` (`receive`), as of `ECONNREFUSED` on a connected
    ///   socket whose peer is not there.
    public var received: Observable<Datagram> {
        scheduler.observable { [core] in ReceiveSource(self, core, downstream: $0) }
    }

    /// Sends a datagram.
    ///
    /// Never blocks. Callable from any thread; the datagrams of one thread are sent in order.
    /// - Parameters:
    ///   - bytes: at most 65,507 of them, or 65,527 on a socket of IPv6.
    ///   - receiver: the address to send to; nil for the peer to which the socket is connected when `send` is called.
    /// - Returns: false if the datagram is rejected, of which `IOHooks.sendRejectedHandler` is told too: `EDESTADDRREQ` if it has no receiver,
    ///   `ENOBUFS` if too much is queued, `EMSGSIZE` if it has too many bytes. If the system rejects a datagram later (`ENETUNREACH` and the
    ///   like), that handler is told.
    @discardableResult
    public func send(_ bytes: ByteChunk, to receiver: SocketAddress? = nil) -> Bool {
        let code = core.enqueue(bytes, receiver)
        if code == 0 { return true }
        core.reportRejected(code, bytes.count, receiver)
        return false
    }

    /// Connects the socket to a peer.
    ///
    /// From now on datagrams are received from this peer only, and sent to it where no receiver is given; those sent before go to the peer of
    /// then. Callable from any thread, any number of times.
    /// - Throws: `IOError` (`connect`), `EBADF` if the socket is closed.
    public func connect(to peer: SocketAddress) throws { try core.connect(to: peer) }

    /// The number of bytes accepted that the kernel has not taken yet. Out of date as soon as it is read.
    public var queuedBytes: Int { core.queuedBytes }

    /// Closes the socket after all datagrams sent before on any thread.
    ///
    /// Nothing is received from now on. Datagrams that the kernel has no room for at that moment are sent when it has; if the loop ends
    /// before, they are dropped, and reported to `IOHooks.sendRejectedHandler` (`ECANCELED`). Callable from any thread, any number of times.
    public func close() { core.closeInOrder() }
}
