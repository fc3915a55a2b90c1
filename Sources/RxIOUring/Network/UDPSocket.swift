import Glibc
public import RxSwift

/// A socket for datagrams. Open as long as somebody holds it or observes `received`; it may be used from any thread.
public final class UDPSocket: @unchecked Sendable, CustomStringConvertible {
    /// Where it receives, with the port that the system chose if none was asked for.
    public let address: SocketAddress

    /// The event loop that it lives on.
    public let scheduler: IOUringScheduler

    let core: UDPCore

    init(_ number: CInt, asked: SocketAddress, pool: BytePool, sendLimit: Int, scheduler: IOUringScheduler) {
        address = Socket.localAddress(number) ?? asked
        self.scheduler = scheduler
        core = UDPCore(number, subject: "\(address)", pool: pool, sendLimit: sendLimit, loop: scheduler.loop)
        core.start()
    }

    deinit { core.closeInOrder() }

    /// The address.
    public var description: String { "UDPSocket(\(address))" }

    /// What comes, on the thread of `scheduler`.
    ///
    /// One subscriber at a time; a second one fails with an `IOError` of `EBUSY`. A datagram more is received when one of the
    /// window is out of use; when that takes a second, `IOHooks.noticeHandler` is told, once for each socket.
    /// - Returns: completes when the socket is closed. Fails with an `IOError` (`receive`), as of `ECONNREFUSED` on a
    ///   connected socket whose peer is not there.
    public var received: Observable<Datagram> {
        scheduler.observable { [core] in ReceiveSource(self, core, downstream: $0) }
    }

    /// Sends a datagram.
    ///
    /// Never blocks. From any thread; the datagrams of one thread are sent in order.
    /// - Parameters:
    ///   - bytes: at most 65,507 of them.
    ///   - receiver: who is to get it; nil: the peer of a connected socket.
    /// - Returns: false if it is rejected, of which `IOHooks.sendRejectedHandler` is told too: `ENOBUFS` if too much is queued.
    ///   What the system rejects later (`EMSGSIZE` and the like) that handler hears of.
    @discardableResult
    public func send(_ bytes: ByteChunk, to receiver: SocketAddress? = nil) -> Bool {
        let code = core.enqueue(bytes, receiver)
        if code == 0 { return true }
        core.reportRejected(code, bytes.count, receiver)
        return false
    }

    /// From now on datagrams are received from this peer only, and sent to it where nothing else is said.
    ///
    /// From any thread.
    /// - Throws: `IOError` (`connect`), `EBADF` if the socket is closed.
    public func connect(to peer: SocketAddress) throws { try core.connect(to: peer) }

    /// How many bytes were accepted and not taken by the kernel yet. Out of date as soon as it is read.
    public var queuedBytes: Int { Int(core.queuedBytes.loadRelaxed()) }

    /// Closes, behind what was sent before on whatever thread. Datagrams that the kernel has no room for at that moment are
    /// dropped, and reported to `IOHooks.sendRejectedHandler` (`ECANCELED`). From any thread, any number of times.
    public func close() { core.closeInOrder() }
}
