// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import RxSwift

/// The behaviour of connections.
public struct ConnectionOptions: Sendable {
    /// Indicates whether small pieces are sent at once, without waiting for more (`TCP_NODELAY`).
    ///
    /// Bytes sent in one tick of the loop go out together in any case.
    public var noDelay = true

    /// The memory in bytes that the queued sends of a connection may take. A send that finds more queued ends the connection.
    ///
    /// So a single piece may be of any size. The chunks of a source that `write` can pause are accepted in any case, as `Connection.write(_:)` says.
    /// Not negative; a limit above 1 GiB becomes 1 GiB.
    public var sendLimit = 16 << 20 {
        didSet {
            if sendLimit < 0 { fatalError("ConnectionOptions: a send limit cannot be negative, is \(sendLimit)") }
            sendLimit = min(sendLimit, OutputLoad.mostLimit)
        }
    }

    /// The memory in bytes of queued sends from which `Connection.isWritable` is false, and sources of `write` are paused.
    ///
    /// They go on when half of it is left. At least 1, and counted like `sendLimit`, half of which it is at most. So much memory does a peer that reads nothing hold.
    public var highWatermark = 256 << 10 {
        didSet {
            if highWatermark < 1 {
                fatalError("ConnectionOptions: a watermark has to be at least 1, is \(highWatermark)")
            }
        }
    }

    /// The number of received chunks that may lie in the buffers of the loop at the same time, at least 1.
    ///
    /// All connections of a loop share its buffers. If observers keep more chunks than this, each further chunk has memory
    /// of its own.
    public var receiveWindow = 4 {
        didSet {
            if receiveWindow <= 0 {
                fatalError("ConnectionOptions: the window has to be at least 1, is \(receiveWindow)")
            }
        }
    }

    /// The size in bytes of the kernel's send buffer (`SO_SNDBUF`); nil lets the kernel choose.
    public var sendBufferSize: Int?

    /// The size in bytes of the kernel's receive buffer (`SO_RCVBUF`); nil lets the kernel choose.
    ///
    /// With less than a few segments of the network, which have up to 64 KiB on the loopback interface, a peer can fall into a state in which
    /// it sends one segment in 200 ms.
    public var receiveBufferSize: Int?

    /// The time without a byte in either direction after which the connection fails, more than zero; nil, the default, for no limit.
    ///
    /// The error is an `IOError` with the code `ETIMEDOUT` and the operation `idle timeout`. The peer sees a clean end, also where `write(_:)` waits
    /// for its source: a stream is at rest between two elements. If bytes wait that the peer has not taken, it is reset.
    /// Bytes count when they are received, when the kernel takes them to be sent, and when the peer takes them, as on a slow line; for that the
    /// kernel is asked only once in this time, so that the failure may come up to twice as late. The time in which a stage below pauses `received` does
    /// not count: for a peer that does not read, set `userTimeout`. Costs a timer, which most events leave alone, and a reading of the
    /// clock for each chunk.
    public var idleTimeout: RxTimeInterval? {
        didSet { ConnectionOptions.require(idleTimeout, "idleTimeout") }
    }

    /// The time for which `close` waits until the kernel has taken what was sent before; more than zero, half a minute by default.
    ///
    /// The peer of a connection that is not through by then is reset (not that of a Unix socket), and `Connection.closed` fails with an `IOError` of `ETIMEDOUT` (`close`).
    public var closeTimeout = RxTimeInterval.seconds(30) {
        didSet { ConnectionOptions.require(closeTimeout, "closeTimeout") }
    }

    /// Probes of the system by which it finds out that a silent peer is gone (`SO_KEEPALIVE`); nil, the default, sends none.
    ///
    /// The connection of a peer that does not answer ends with `ETIMEDOUT`, and one whose peer has forgotten it with `ECONNRESET` (`receive`).
    /// Unix sockets need none.
    public var keepAlive: KeepAlive?

    /// The time for which sent bytes may stay unacknowledged, or a peer may not read (`TCP_USER_TIMEOUT`).
    ///
    /// At least a millisecond; nil, the default, stands for the system's, of 15 minutes or so. Then the connection ends with an `IOError` of `ETIMEDOUT`. In place of the count of `keepAlive` it limits probes, too. Ignored by Unix
    /// sockets.
    public var userTimeout: RxTimeInterval? {
        didSet { ConnectionOptions.require(userTimeout, "userTimeout") }
    }

    /// Sets options of the socket that this library does not know; nil, the default, sets none.
    ///
    /// Called with the descriptor before it is connected, once for each address that is tried, on the thread of the loop: it must not wait,
    /// and not close the descriptor. Not called for accepted connections, which inherit most options from `ListenerOptions.prepareSocket`. An `IOError`
    /// that it throws fails the attempt at that address; another error ends the connecting.
    public var prepareSocket: (@Sendable (_ descriptor: CInt) throws -> Void)?

    /// True if the system may end a connection with `ETIMEDOUT`.
    var limitsSilence: Bool { keepAlive != nil || userTimeout != nil }

    /// The time after which `TCP.connect(host:)` tries the next address of the host beside the one that has not answered (RFC 8305); 0 for all at once.
    public var attemptDelay = RxTimeInterval.milliseconds(250)

    private static func require(_ time: RxTimeInterval?, _ name: String) {
        if let time, time.nanosecondsClamped <= 0 {
            fatalError("ConnectionOptions.\(name): argument must be longer than 0, not \(time)")
        }
    }

    /// Options with a send limit of 16 MiB, a watermark of 256 KiB, a window of 4 received chunks, no delay, and no limit of time but that of `close`.
    public init() {}
}
