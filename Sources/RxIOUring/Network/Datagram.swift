/// What came in one piece on a UDP socket.
public struct Datagram: Sendable {
    /// The bytes, at most as many as the socket has room for.
    public let bytes: ByteChunk

    /// Who sent it.
    public let sender: SocketAddress

    /// Whether it was longer than `bytes`; the rest is lost.
    public let isTruncated: Bool
}
