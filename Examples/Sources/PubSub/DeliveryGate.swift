// SPDX-License-Identifier: Apache-2.0

/// Decides about messages for a client that reads them more slowly than they come.
///
/// While less than `room` bytes wait for the client, messages pass. The first message that does not fit begins a gap: from here on all
/// messages are dropped and counted until the client has taken everything that waits. Then the client is told the count, in the place
/// of the gap, and messages pass again. A client whose gap exceeds `mostDropped` is of no use, and is disconnected.
public struct DeliveryGate: Sendable {
    public enum Verdict: Equatable, Sendable {
        case send
        /// - beginsGap: the caller has to report when the client has taken everything that waits.
        case drop(beginsGap: Bool)
        /// Returned once.
        case disconnect
    }

    private let room: Int
    private let mostDropped: Int

    /// The number of messages dropped in the gap so far; 0 outside a gap.
    public private(set) var dropped = 0

    /// - Parameters:
    ///   - room: how many bytes may wait.
    ///   - mostDropped: how many messages a gap may have.
    public init(room: Int, mostDropped: Int) {
        self.room = room
        self.mostDropped = mostDropped
    }

    /// - Parameters:
    ///   - bytes: the message's.
    ///   - queued: how many bytes wait for the client.
    public mutating func offer(_ bytes: Int, queued: Int) -> Verdict {
        if dropped == 0, queued == 0 || queued + bytes <= room { return .send }
        return rejected()
    }

    /// Records that the connection rejected a message that was to be sent.
    public mutating func rejected() -> Verdict {
        dropped += 1
        return dropped == mostDropped + 1 ? .disconnect : .drop(beginsGap: dropped == 1)
    }

    /// Records that the client was told the count. Returns true if the gap is over, false if more messages were dropped meanwhile.
    public mutating func told(_ count: Int) -> Bool {
        dropped -= count
        return dropped == 0
    }
}
