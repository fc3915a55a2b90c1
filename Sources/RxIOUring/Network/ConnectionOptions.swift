/// How connections behave.
public struct ConnectionOptions: Sendable {
    /// Whether small pieces are sent at once, without waiting for more (`TCP_NODELAY`). What is sent in one tick of the loop
    /// goes out together in any case.
    public var noDelay = true

    /// How many bytes may be queued on a connection; a `send` that would exceed it is rejected. One piece is taken in any case
    /// when nothing is queued.
    public var sendLimit = 1 << 20 {
        didSet { precondition(sendLimit >= 0, "ConnectionOptions: a send limit cannot be negative, is \(sendLimit)") }
    }

    /// How many chunks received may be in use at a time, at least 1. A chunk is 16 KiB at most.
    public var receiveWindow = 4 {
        didSet {
            precondition(receiveWindow > 0, "ConnectionOptions: the window has to be at least 1, is \(receiveWindow)")
        }
    }

    /// Bytes in the kernel's buffer for what is sent (`SO_SNDBUF`); nil lets the kernel choose.
    public var sendBufferSize: Int?

    /// Bytes in the kernel's buffer for what is received (`SO_RCVBUF`); nil lets the kernel choose.
    public var receiveBufferSize: Int?

    /// With a send limit of 1 MiB, 4 chunks to receive, and no delay.
    public init() {}
}
