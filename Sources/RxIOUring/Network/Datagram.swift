// SPDX-License-Identifier: Apache-2.0

public import RxSwift

/// A message received on a UDP socket.
public struct Datagram: Sendable {
    /// The bytes, at most as many as the socket has room for.
    public let bytes: ByteChunk

    /// The address from which the datagram came.
    public let sender: SocketAddress

    /// True if the datagram was longer than `bytes`; the rest is lost.
    public let isTruncated: Bool
}

extension Datagram: Weighted {
    /// That of the bytes.
    public var weightInBytes: Int { bytes.weightInBytes }
}
