import Glibc
public import RxSwift

/// A TCP connection, or one between Unix sockets: bytes that come in order, and bytes that are sent in order.
///
/// Open as long as somebody holds it, observes `received`, or waits for a `write`; then what is queued is sent and it is
/// closed. It may be used from any thread; what it emits comes on the thread of `scheduler`.
public final class Connection: @unchecked Sendable, CustomStringConvertible {
    /// The address on this side.
    public let localAddress: SocketAddress

    /// The address of the peer. Of a Unix socket that was not bound, `unix:`.
    public let remoteAddress: SocketAddress

    /// The event loop that the connection lives on.
    public let scheduler: IOUringScheduler

    let core: ConnectionCore

    /// Takes over a connected descriptor.
    init(
        _ number: CInt, local: SocketAddress?, remote: SocketAddress, options: ConnectionOptions,
        scheduler: IOUringScheduler
    ) {
        let local = local ?? Socket.localAddress(number) ?? SocketAddress(.unix([]))
        Socket.apply(options, to: number, family: local.family)
        localAddress = local
        remoteAddress = remote
        self.scheduler = scheduler
        let subject = remote.kind == .unix([]) ? "from \(local)" : "\(remote)"
        core = ConnectionCore(number, subject: subject, options: options, loop: scheduler.loop)
        core.start()
    }

    deinit { core.closeInOrder() }

    /// The peer's address.
    public var description: String { "Connection(\(core.subject))" }

    // MARK: Receiving

    /// What the peer sends, in chunks of at most 16 KiB.
    ///
    /// One subscriber at a time; a second one fails with an `IOError` of `EBUSY`. What comes while nobody is subscribed waits
    /// for the next subscriber; a chunk that is being delivered while the subscriber disposes on another thread goes with
    /// that one. The next receive is submitted when fewer than `ConnectionOptions.receiveWindow` chunks are in use, so a
    /// subscriber that keeps chunks, or is slow behind `observe(on:)`, slows the peer down; when nothing was received for a
    /// second for that reason, `IOHooks.noticeHandler` is told, once for each connection. Completes when the peer has sent
    /// everything, and when this side closes. Fails with an `IOError` (`receive`): `ECONNRESET` if the peer reset the
    /// connection; with that of `send` if sending failed before.
    public var received: Observable<ByteChunk> {
        scheduler.observable { [core] in ReceiveSource(self, core, downstream: $0) }
    }

    // MARK: Sending

    /// Sends bytes behind what was sent before.
    ///
    /// Never blocks. From any thread; what is sent when another send has returned, on whatever thread, comes behind that.
    /// What is sent on the loop within one tick goes out together.
    /// - Returns: false if the bytes are rejected: `IOHooks.sendRejectedHandler` is told when too much is queued, as with a
    ///   peer that does not read (`ENOBUFS`); on a connection that is closed or failed they are dropped, and `closed` tells
    ///   why.
    @discardableResult
    public func send(_ bytes: ByteChunk) -> Bool {
        let code = core.enqueue(bytes)
        if code == 0 { return true }
        if code == ENOBUFS { IOHooks.reportRejectedSend(sendError(code), bytes.count) }
        return false
    }

    /// Sends the bytes of a text in UTF-8. See `send(_:)` for bytes.
    @discardableResult
    public func send(_ text: String) -> Bool { send(ByteChunk(text)) }

    /// Sends bytes at each subscription, and completes when the kernel has taken them.
    ///
    /// - Returns: fails with an `IOError` (`send`): `ENOBUFS` if too much is queued; what the system reports; `EPIPE` behind
    ///   `shutdownOutput`; `ENOTCONN` or `ECANCELED` if this side has closed.
    public func write(_ bytes: ByteChunk) -> Completable { write(.just(bytes)) }

    /// Sends what a sequence emits, and completes when the sequence has completed and the kernel has taken everything.
    ///
    /// The chunks are queued as they come: a source with back-pressure, such as `File.read` or another connection, gets its
    /// memory back as they are sent. Subscribes to the source on the loop; disposing of the result disposes of that, and
    /// sends what was queued nevertheless.
    /// - Returns: fails with the error of the source, or with an `IOError` (`send`) as above.
    public func write(_ source: Observable<ByteChunk>) -> Completable {
        Completable(raw: scheduler.observable { WriteSource(self, source, downstream: $0) })
    }

    /// How many bytes were accepted and not taken by the kernel yet. Out of date as soon as it is read.
    public var queuedBytes: Int { Int(core.queuedBytes.loadRelaxed()) }

    /// How many bytes may be queued.
    public var sendLimit: Int { core.options.sendLimit }

    // MARK: Ending

    /// Tells the peer, behind what is queued, that nothing more will be sent; what the peer sends is still received. What is
    /// sent from now on is rejected. From any thread, any number of times.
    public func shutdownOutput() {
        core.rejectSends(EPIPE)
        core.loop.perform(core.shutDownOutput)
    }

    /// Closes: nothing is received any more, and what was sent before, on whatever thread, goes out within 30 seconds, or is
    /// dropped and reported to `IOHooks.noticeHandler`. From any thread, any number of times.
    ///
    /// What goes out is what the kernel was given. A peer that is still sending then resets the connection, and may lose what it
    /// has not read: to be sure that it gets everything, call `shutdownOutput()`, and close when `received` has completed.
    public func close() { core.closeInOrder() }

    /// Closes at once, and drops what is queued. From any thread, any number of times.
    public func abort() {
        // Not at once: the caller may be an observer of this connection.
        core.loop.submit({ [core] in core.finishClosing(nil) }, rejected: { false })
    }

    /// Completes when the connection is closed, because this side asked for it or both sides have sent everything; fails with
    /// the `IOError` that ended it otherwise.
    ///
    /// Does not keep the connection open.
    public var closed: Completable {
        Completable(raw: scheduler.observable { [core] in ClosedSource(core, downstream: $0) })
    }

    func sendError(_ code: CInt) -> IOError { IOError(code: code, operation: "send", subject: core.subject) }
}
