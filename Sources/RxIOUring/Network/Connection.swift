// SPDX-License-Identifier: Apache-2.0

import Glibc
public import RxSwift

/// A TCP connection, or one between Unix sockets: bytes are received in order, and sent in order.
///
/// Stays open as long as it is held, `received` is observed, or a `write` is pending; then the queued bytes are sent and it is
/// closed. Usable from any thread; its sequences emit on the thread of `scheduler`.
public final class Connection: @unchecked Sendable, CustomStringConvertible {
    /// The address on this side of the connection.
    public let localAddress: SocketAddress

    /// The address of the peer; `unix:` for a Unix socket that was not bound.
    public let remoteAddress: SocketAddress

    /// The process at the other end when the connection was made; nil for a TCP connection.
    public let peerCredentials: PeerCredentials?

    /// The event loop that the connection lives on.
    public let scheduler: IOUringScheduler

    let core: ConnectionCore

    /// Takes over a connected descriptor.
    init(
        _ fd: CInt, local: SocketAddress?, remote: SocketAddress, options: ConnectionOptions,
        scheduler: IOUringScheduler, accepted: AcceptedConnections? = nil
    ) {
        let local = local ?? Socket.localAddress(fd) ?? SocketAddress(.unix([]))
        Socket.apply(options, to: fd, family: local.family)
        localAddress = local
        remoteAddress = remote
        self.scheduler = scheduler
        let subject = remote.kind == .unix([]) ? "from \(local)" : "\(remote)"
        peerCredentials = local.family == AF_UNIX ? PeerCredentials(of: fd) : nil
        core = ConnectionCore(fd, subject: subject, options: options, loop: scheduler.loop, accepted: accepted)
        core.start()
    }

    deinit { core.closeInOrder(isRequested: false) }

    /// The peer's address.
    public var description: String { "Connection(\(core.subject))" }

    // MARK: Receiving

    /// The bytes that the peer sends, in chunks of at most 16 KiB, or 256 KiB while more than that comes at once.
    ///
    /// Takes one subscriber at a time; a second one fails with an `IOError` of `EBUSY`, unless the first leaves within 60 ms, as behind a `take(1)`. Bytes that arrive without a subscriber wait for the next one, as do bytes behind the line or frame with which
    /// a subscriber of `lines` or `frames` has left in `onNext`. The beginning of a line or frame leaves with a subscriber that is disposed of before the rest has come. A chunk that is being delivered while its subscriber disposes on another thread is not kept for
    /// the next one.
    ///
    /// Receives while no stage below pauses the source: a subscriber that is slow behind `observe(on:)`, or passes the bytes to a `write`
    /// whose output is full, slows the peer down. Chunks that are kept cost memory. This observable holds the connection, as its subscriptions do.
    ///
    /// Completes when the peer has sent everything, and when this side closes. Fails with an `IOError` (`receive`):
    /// `ECONNRESET` if the peer reset the connection; with that of `send` if sending failed before.
    public var received: Observable<ByteChunk> {
        scheduler.observable(of: core.subject) { [core] in ReceiveSource(self, core, downstream: $0) }
    }

    // MARK: Sending

    /// Sends bytes, after all bytes sent before.
    ///
    /// Never blocks. Callable from any thread: a send that begins after another send has returned, on any thread, is ordered
    /// after that one. Bytes sent on the loop thread within one tick go out together.
    ///
    /// The peer gets all bytes up to some point, and a clean end only if it gets all of them: the stream has no holes. If more than
    /// `sendLimit` waits already, as with a peer that does not read, the connection fails (`ENOBUFS`): the bytes are rejected, those that
    /// wait are dropped, and the peer is reset. A Unix socket cannot be reset: its peer sees a clean end then, so let the bytes themselves tell
    /// their end, as `frames` do. `IOHooks.sendRejectedHandler` is told, once. To send no more than the peer reads, follow
    /// `isWritable`, or pass a source that can pause to `write`.
    /// - Returns: true if the bytes are accepted; bytes sent while another thread ends the output may still be rejected on the loop, which
    ///   `IOHooks.sendRejectedHandler` is told. False if the bytes are rejected: the connection is closed or failed, and `closed` tells why. A
    ///   send behind `close`, `abort` or `shutdownOutput` on the same thread is always rejected.
    @discardableResult
    public func send(_ bytes: ByteChunk) -> Bool { core.enqueue(bytes) == 0 }

    /// Sends the bytes of a text in UTF-8. See `send(_:)` for bytes.
    @discardableResult
    public func send(_ text: String) -> Bool { send(ByteChunk(text)) }

    /// Sends bytes at each subscription, and completes when the kernel has taken them.
    ///
    /// A write takes 512 bytes of `sendLimit` besides its own, and so counts also without bytes. Behind an error, `ECANCELED` at the end of the loop
    /// included, the peer may have got a part of the bytes, or all of them: what the kernel has taken does not come back. The subscriber of a write that
    /// is rejected learns of it on the loop, in whose queue the subscription, without the bytes, waits until then.
    /// - Returns: fails with an `IOError` (`send`): `ENOBUFS` if more than `sendLimit` is queued; an error that the system reports; `EPIPE`
    ///   behind `shutdownOutput`; `ENOTCONN` or `ECANCELED` if this side has closed.
    public func write(_ bytes: ByteChunk) -> Completable {
        Completable(raw: scheduler.observable { ChunkWriteSource(self, bytes, downstream: $0) })
    }

    /// Sends the elements of a sequence, and completes after the sequence when the kernel has taken everything.
    ///
    /// Each chunk is queued as it arrives. A source that can pause, such as `File.read` or another connection, is paused while
    /// `highWatermark` is queued; its chunks are accepted also beyond `sendLimit`. Of any other source the connection fails
    /// as by `send`; the first two chunks, and 192 KiB that come before a source has asked whether to pause, are accepted up to twice `sendLimit`, or a
    /// megabyte. The connection fails as well where only a part of the source can pause, as in `merge(file, relay)`, where others keep a shared source going, or where much is made
    /// of one element, as by `lines()` and `map`, or `concatMap` to `from` without a scheduler: once more than `sendLimit`, in more than 32 chunks, has come since
    /// a source asked, and as much waits.
    ///
    /// Subscribes to the source on the loop; disposing of the result disposes of that subscription, but queued chunks are still sent. A source
    /// that emits while it is being subscribed to holds up the loop until it ends: without an end, if its chunks are empty. Give it a scheduler.
    ///
    /// A stream that was cut off must not look whole: if the source fails, or the loop ends while the source has more than the peer takes, the
    /// connection of the peer is reset when it closes (not that of a Unix socket). This side decides otherwise by sending more, or by
    /// `shutdownOutput()` or `close()`. A file or another connection whose loop ends fails as a source; answers made from the connection's
    /// own `received` end in order. A dispose counts as the wanted end of the stream, as does the idle timeout, and the end of the loop between two
    /// elements that the peer has taken, unless the source had to pause within the last second: behind one that is none, as that of `timeout`,
    /// call `abort()`.
    /// - Returns: fails with the error of the source, or with an `IOError` (`send`) as above; also if this side closes when all chunks so
    ///   far were sent, but before the source has completed.
    public func write(_ source: Observable<ByteChunk>) -> Completable {
        Completable(raw: scheduler.observable { WriteSource(self, source, downstream: $0) })
    }

    /// The number of bytes accepted that the kernel has not taken yet. Out of date as soon as it is read.
    public var queuedBytes: Int { core.queuedBytes }

    /// Whether the peer keeps up: false while `highWatermark` is queued, until half of that is left.
    ///
    /// Emits the state on subscription, and then each change, on the loop: after each send that reaches `highWatermark` comes false, and true when
    /// there is room, also if all of it has been sent by then. Sends are accepted in both states, up to `sendLimit`. Completes
    /// when the connection is closed, and does not keep it open. Fails with `ECANCELED` if the loop has ended.
    public var isWritable: Observable<Bool> {
        scheduler.observable { [core] in WritableSource(core, downstream: $0) }
    }

    /// The memory in bytes that sends may take. See `ConnectionOptions.sendLimit`.
    public var sendLimit: Int { core.options.sendLimit }

    /// The memory in bytes of queued sends from which `isWritable` is false. See `ConnectionOptions.highWatermark`.
    ///
    /// A loop of sends on the loop thread compares it with `queuedBytes`: `isWritable` emits behind that loop.
    public var highWatermark: Int { core.watermarks.high }

    // MARK: Ending

    /// Tells the peer, behind the queued bytes, that this side will send no more.
    ///
    /// Bytes from the peer are still received; sends from now on are rejected. Callable from any thread, any number of times.
    public func shutdownOutput() {
        core.endOutput()
    }

    /// Stops receiving, and closes when the queued bytes are sent.
    ///
    /// Bytes sent before, on any thread, go out within `ConnectionOptions.closeTimeout`, or are dropped and reported to `IOHooks.noticeHandler`. What the peer
    /// sends meanwhile is dropped, as it may read no more before it has sent. Callable from any thread, any number of times. Operators behind `received`, as `lines`, may
    /// still emit some of what came in the chunk at hand.
    ///
    /// Bytes have gone out when the kernel has taken them. A peer that is still sending then resets the connection, and may
    /// lose bytes that it has not read: to be sure that it gets everything, call `shutdownOutput()`, and close when `received`
    /// has completed.
    public func close() { core.closeInOrder(isRequested: true) }

    /// Closes at once, drops the queued bytes, and resets the peer's connection (not that of a Unix socket). Callable from any thread, any number of times.
    public func abort() { core.abortSoon() }

    /// Completes when the connection is closed, fails if an error ended it.
    ///
    /// Completes if this side asked for the close or both sides have sent everything; otherwise fails with the `IOError` that
    /// ended the connection: `ETIMEDOUT` (`close`) if the peer did not take what was queued in time. Does not keep the connection open.
    ///
    /// Subscribers are told in the order in which they came, those of a `write` of a sequence among them. A `write` of bytes that the loop
    /// has come to is told before, when its bytes are sent or dropped.
    ///
    /// A reset by the peer ends a connection also while nothing is received. A subscriber of `received` that is paused then gets the bytes
    /// that had arrived, and the error; without a subscriber these bytes are dropped. The mere end of the peer's output ends no connection: to
    /// notice a peer that is gone, set a limit in `ConnectionOptions`.
    public var closed: Completable {
        core.useMark.storeRelaxed(1)
        return Completable(raw: scheduler.observable { [core] in ClosedSource(core, downstream: $0) })
    }
}
