public import RxSwift

/// The behaviour of connections.
public struct ConnectionOptions: Sendable {
    /// Indicates whether small pieces are sent at once, without waiting for more (`TCP_NODELAY`).
    ///
    /// Bytes sent in one tick of the loop go out together in any case.
    public var noDelay = true

    /// The memory in bytes that the queued sends of a connection may take. A send that finds more queued ends the connection.
    ///
    /// So a single piece may be of any size. The chunks of a source that `write` can pause are accepted in any case.
    public var sendLimit = 16 << 20 {
        didSet {
            if sendLimit < 0 { fatalError("ConnectionOptions: a send limit cannot be negative, is \(sendLimit)") }
        }
    }

    /// The number of received chunks in use up to which a connection takes its memory from the buffers that all connections of its loop
    /// share, at least 1. If observers keep more, each further chunk, of 16 KiB at most, has memory of its own.
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
    public var receiveBufferSize: Int?

    /// The time after which `TCP.connect(host:)` tries the next address of the host beside the one that has not answered (RFC 8305).
    public var attemptDelay = RxTimeInterval.milliseconds(250)

    /// Options with a send limit of 16 MiB, a window of 4 received chunks, and no delay.
    public init() {}
}
